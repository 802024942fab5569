// SPDX-License-Identifier: Apache-2.0
#include "external/connections.h"

#include <catch2/catch.hpp>
#include <future>
#include <utility>
#include <vector>

#include "runtime/fence.h"
#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_server.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;

const Request kRead{"GET /", "", Repeat::kSafe};
const Request kCreate{"POST /", "", Repeat::kNever};

/// Answers as told, and then with success.
class Scripted final : public Driver {
 public:
  Scripted(std::vector<Error> errors, int& calls) : errors_(std::move(errors)), calls_(calls) {}
  base::Result<Reply> call(const Request& /*request*/, const kube::Call& /*limits*/) override {
    const auto at = static_cast<size_t>(calls_++);
    if (at < errors_.size()) {
      return errors_[at];
    }
    return Reply{true, "{}"};
  }

 private:
  const std::vector<Error> errors_;
  int& calls_;
};

Error unavailable() { return {ErrorCode::kUnavailable, "away"}; }

TEST_CASE("Reads are repeated, creates are not") {
  base::SystemClock clock;
  int calls = 0;
  Connection reads(std::make_unique<Scripted>(std::vector{unavailable(), unavailable()}, calls),
                   clock);
  CHECK(reads.call(kRead, {}).ok());
  CHECK(calls == 3);
  calls = 0;
  Connection creates(std::make_unique<Scripted>(std::vector{unavailable()}, calls), clock);
  CHECK_FALSE(creates.call(kCreate, {}).ok());
  CHECK(calls == 1);
}

TEST_CASE("Each attempt of a call is counted") {
  base::SystemClock clock;
  base::Metrics metrics;
  CallCounter counter(metrics);
  int calls = 0;
  Connection connection(
      std::make_unique<Scripted>(std::vector{unavailable(), unavailable()}, calls), clock,
      &counter);
  CHECK(connection.call(kRead, {}).ok());
  const std::string text = metrics.expose();
  CHECK(text.find("_calls_total{result=\"unavailable\"} 2\n") != std::string::npos);
  CHECK(text.find("_calls_total{result=\"success\"} 1\n") != std::string::npos);
}

TEST_CASE("Calls that change something are withheld if that is asked for") {
  fakeapi::FakeServer server([](const fakeapi::SeenRequest& /*request*/, fakeapi::Reply& reply) {
    reply.send(200, "{}");
  });
  base::SystemClock clock;
  std::vector<std::string> withheld;
  Connections connections(clock, [&](const std::string& call) { withheld.push_back(call); });
  HttpEndpoint endpoint;
  endpoint.base_url = server.url();
  const auto connection = CW_MUST(connections.http(endpoint));
  CHECK(connection->call({"GET /pets", "", Repeat::kRead}, {}).ok());
  for (const Repeat repeat : {Repeat::kNever, Repeat::kSafe}) {
    const auto reply = connection->call({"PUT /pets/7", "{}", repeat}, {});
    REQUIRE_FALSE(reply.ok());
    CHECK(reply.error().code() == ErrorCode::kCancelled);
    CHECK(was_refused(reply.error()));
  }
  CHECK(withheld == std::vector<std::string>{"PUT /pets/7", "PUT /pets/7"});
  CHECK(server.requests().size() == 1);
}

// A process that was suspended, and does not know yet that another one has its lease.
TEST_CASE("After the end of the fence nothing outside is changed, and reads go on") {
  fakeapi::FakeServer server([](const fakeapi::SeenRequest& /*request*/, fakeapi::Reply& reply) {
    reply.send(200, "{}");
  });
  base::ManualClock clock;
  runtime::Fence fence;
  fence.set_end(clock.monotonic() + std::chrono::seconds(10));
  Connections connections(clock, nullptr, nullptr, &fence);
  HttpEndpoint endpoint;
  endpoint.base_url = server.url();
  const auto connection = CW_MUST(connections.http(endpoint));
  CHECK(connection->call({"PUT /pets/7", "{}", Repeat::kSafe}, {}).ok());
  clock.advance(std::chrono::seconds(10));
  for (const Repeat repeat : {Repeat::kNever, Repeat::kSafe}) {
    const auto reply = connection->call({"POST /pets", "{}", repeat, "key"}, {});
    REQUIRE_FALSE(reply.ok());
    CHECK(reply.error().code() == ErrorCode::kCancelled);
    CHECK(was_refused(reply.error()));
  }
  CHECK(connection->call({"GET /pets/7", "", Repeat::kRead}, {}).ok());
  CHECK(server.requests().size() == 2);
}

TEST_CASE("A refusal is not repeated") {
  base::SystemClock clock;
  int calls = 0;
  Connection connection(
      std::make_unique<Scripted>(std::vector{Error(ErrorCode::kInvalid, "no")}, calls), clock);
  CHECK_FALSE(connection.call(kRead, {}).ok());
  CHECK(calls == 1);
}

TEST_CASE("Retry-After is respected by every caller") {
  base::ManualClock clock;
  int calls = 0;
  Connection connection(
      std::make_unique<Scripted>(
          std::vector{Error(ErrorCode::kTooManyRequests, "busy").with_retry_after(30)}, calls),
      clock);
  CHECK_FALSE(connection.call(kRead, {}).ok());
  clock.advance(std::chrono::seconds(29));
  const auto refused = connection.call(kRead, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().reason() == kube::kNotSent);
  CHECK(refused.error().message() == "busy");
  CHECK(refused.error().retry_after_s() == 1);
  CHECK(was_refused(refused.error()));
  CHECK(calls == 1);
  clock.advance(std::chrono::seconds(1));
  CHECK(connection.call(kRead, {}).ok());
}

TEST_CASE("A server that fails again and again is spared, and tried again") {
  base::ManualClock clock;
  int calls = 0;
  Connection connection(std::make_unique<Scripted>(std::vector<Error>(6, unavailable()), calls),
                        clock);
  for (int i = 0; i < 8; ++i) {
    CHECK_FALSE(connection.call(kCreate, {}).ok());
  }
  CHECK(calls == 5);
  clock.advance(std::chrono::seconds(5));
  CHECK_FALSE(connection.call(kCreate, {}).ok());
  clock.advance(std::chrono::seconds(5));
  CHECK(connection.call(kCreate, {}).ok());
  CHECK(calls == 7);
}

/// Fails at once, and later does not answer until it is let go.
class Hanging final : public Driver {
 public:
  Hanging(std::promise<void>& asked, std::future<void> go) : asked_(asked), go_(std::move(go)) {}
  base::Result<Reply> call(const Request& /*request*/, const kube::Call& /*limits*/) override {
    if (calls_++ < 5) {
      return unavailable();
    }
    asked_.set_value();
    go_.wait();
    return Reply{true, "{}"};
  }

 private:
  std::promise<void>& asked_;
  std::future<void> go_;
  int calls_ = 0;
};

TEST_CASE("Only one caller waits for a server that failed again and again") {
  base::ManualClock clock;
  std::promise<void> asked;
  std::promise<void> go;
  Connection connection(std::make_unique<Hanging>(asked, go.get_future()), clock);
  for (int i = 0; i < 5; ++i) {
    CHECK_FALSE(connection.call(kCreate, {}).ok());
  }
  clock.advance(std::chrono::seconds(5));
  auto first = std::async(std::launch::async, [&] { return connection.call(kCreate, {}).ok(); });
  asked.get_future().wait();
  const auto second = connection.call(kCreate, {});
  go.set_value();
  CHECK(first.get());
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().reason() == kube::kNotSent);
  CHECK(second.error().message() == "away");
}

TEST_CASE("Connections are shared by credentials, reused, and closed when idle") {
  base::ManualClock clock;
  fakeapi::FakeServer server([](const fakeapi::SeenRequest& /*request*/, fakeapi::Reply& reply) {
    reply.send(200, "{}");
  });
  Connections all(clock);
  const HttpEndpoint ann{server.url(), "Bearer ann", "", "", "", ""};
  const HttpEndpoint bob{server.url(), "Bearer bob", "", "", "", ""};
  const auto first = CW_MUST(all.http(ann));
  CHECK(CW_MUST(all.http(ann)) == first);
  CHECK(CW_MUST(all.http(bob)) != first);
  for (int i = 0; i < 5; ++i) {
    CHECK(first->call(kRead, {}).ok());
  }
  CHECK(server.connections() == 1);
  CHECK(server.requests().front().headers.at("authorization") == "Bearer ann");
  const std::weak_ptr<Connection> watched = first;
  CHECK(watched.use_count() == 2);
  clock.advance(std::chrono::minutes(11));
  static_cast<void>(all.http({server.url(), "Bearer eve", "", "", "", ""}).ok());
  CHECK(watched.use_count() == 1);
}

TEST_CASE("URLs that cannot be used are refused without quoting them") {
  base::ManualClock clock;
  for (const auto* url : {"ftp://host", "http://ann:s3cret@host", "http:///x", "http://h/?q=1",
                          "http://a b", "host:80", ""}) {
    const auto made = make_http_driver({url, "", "", "", "", ""}, clock);
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code() == ErrorCode::kInvalidArgument);
    CHECK(made.error().message().find("s3cret") == std::string::npos);
  }
}

TEST_CASE("Credentials are not sent in the clear unless that is asked for") {
  base::SystemClock clock;
  const auto makes = [&clock](const std::string& url, const std::string& token, bool plaintext) {
    HttpEndpoint endpoint;
    endpoint.base_url = url;
    endpoint.authorization = token;
    endpoint.plaintext = plaintext;
    const auto made = make_http_driver(endpoint, clock);
    CHECK((made.ok() || made.error().code() == ErrorCode::kInvalidArgument));
    return made.ok();
  };
  for (const char* url : {"http://store.example", "http://store.example:80/x", "http://10.0.0.1",
                          "http://localhost.example", "http://[::2]:80"}) {
    INFO(url);
    CHECK_FALSE(makes(url, "Bearer x", false));
    CHECK(makes(url, "Bearer x", true));
    CHECK(makes(url, "", false));
  }
  for (const char* url : {"https://store.example", "http://localhost:6742", "http://127.0.0.1/x",
                          "http://[::1]", "http://[::1]:80", "http://localhost"}) {
    INFO(url);
    CHECK(makes(url, "Bearer x", false));
  }
}

TEST_CASE("A create is never sent twice, even over a connection that the server drops") {
  base::SystemClock clock;
  fakeapi::FakeServer server([](const fakeapi::SeenRequest& request, fakeapi::Reply& reply) {
    if (request.method == "POST") {
      reply.cut();
    } else {
      reply.send(200, "{}");
    }
  });
  Connections all(clock);
  const auto connection = CW_MUST(all.http({server.url(), "", "", "", "", ""}));
  CHECK(connection->call(kRead, {}).ok());
  CHECK_FALSE(connection->call(kCreate, {}).ok());
  size_t posts = 0;
  for (const auto& request : server.requests()) {
    posts += request.method == "POST" ? 1 : 0;
  }
  CHECK(posts == 1);
}

}  // namespace
}  // namespace chartwright::external
