// SPDX-License-Identifier: Apache-2.0
#include "kube/http_transport.h"

#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_server.h"

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using fakeapi::FakeServer;
using fakeapi::Reply;
using fakeapi::SeenRequest;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A transport to a fake server, with a clock that the test advances.
struct TransportFixture {
  explicit TransportFixture(FakeServer::Handler handler) : server(std::move(handler)) {
    Config config;
    config.server = server.url();
    connect(config);
  }
  void connect(const Config& config) {
    TransportOptions options;
    options.on_finished = [this](Method /*method*/, int status) { finished.store(status); };
    transport = CW_MUST(make_transport(config, clock, options));
  }

  FakeServer server;
  base::ManualClock clock;
  std::atomic<int> finished{-1};
  std::unique_ptr<Transport> transport;
};

Request get(std::string target) {
  Request request;
  request.target = std::move(target);
  return request;
}

/// Runs a blocking call on a thread of its own.
template <typename T>
class Blocked {
 public:
  explicit Blocked(std::function<Result<T>()> call)
      : thread_("call", base::kDefaultStackBytes,
                [this, call = std::move(call)] { result_.emplace(call()); }) {}
  Result<T> join() {
    thread_.join();
    return *std::move(result_);
  }

 private:
  std::optional<Result<T>> result_;
  base::Thread thread_;
};

TEST_CASE("A response comes back whole, whatever its status") {
  TransportFixture api([](const SeenRequest& request, Reply& reply) {
    reply.send(request.target == "/busy" ? 429 : 200, "hello",
               {{"Retry-After", "17"}, {"Location", "/later"}});
  });
  const Response ok = CW_MUST(api.transport->perform(get("/ok?a=b"), {}));
  CHECK(ok.status == 200);
  CHECK(ok.body == "hello");
  const Response busy = CW_MUST(api.transport->perform(get("/busy"), {}));
  CHECK(busy.status == 429);
  CHECK(busy.retry_after_s == 17);
  CHECK(busy.location == "/later");
  CHECK(api.finished == 429);

  const SeenRequest seen = api.server.requests().front();
  CHECK(seen.method == "GET");
  CHECK(seen.target == "/ok?a=b");
  CHECK(seen.headers.at("user-agent") == "chartwright/" CW_VERSION);
  CHECK(seen.headers.at("accept") == "application/json");
  CHECK(api.server.connections() == 1);
}

TEST_CASE("Bodies are sent as they are") {
  TransportFixture api(
      [](const SeenRequest& request, Reply& reply) { reply.send(200, request.body); });
  for (const Method method : {Method::kPost, Method::kPut, Method::kPatch, Method::kDelete}) {
    Request request = get("/x");
    request.method = method;
    request.content_type = "application/x";
    request.body = std::string("a\0b", 3) + std::string(100'000, 'z');
    const std::string sent = request.body;
    const Response response = CW_MUST(api.transport->perform(std::move(request), {}));
    CHECK(response.body == sent);
    const SeenRequest seen = api.server.requests().back();
    CHECK(seen.method == to_string(method));
    CHECK(seen.headers.at("content-type") == "application/x");
    CHECK(seen.headers.count("expect") == 0);
  }
}

TEST_CASE("Many threads share a transport") {
  TransportFixture api(
      [](const SeenRequest& request, Reply& reply) { reply.send(200, request.target); });
  std::atomic<int> right{0};
  std::vector<base::Thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back("caller", base::kDefaultStackBytes, [&api, &right, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string target = "/" + std::to_string(t) + "/" + std::to_string(i);
        const auto response = api.transport->perform(get(target), {});
        right += response.ok() && response->body == target ? 1 : 0;
      }
    });
  }
  threads.clear();
  CHECK(right == 8 * 25);
}

TEST_CASE("A call ends at its deadline though the server is silent") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) { reply.hold(); });
  base::SystemClock clock;
  Config config;
  config.server = api.server.url();
  const auto transport = CW_MUST(make_transport(config, clock));
  const auto result = transport->perform(get("/x?token=1"), {{}, milliseconds(20)});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kTimeout);
  CHECK(result.error().message() == "GET " + api.server.url() + "/x: no answer within 20ms");
}

TEST_CASE("A call ends when it is stopped") {
  std::stop_source stop;
  TransportFixture api([&stop](const SeenRequest& /*request*/, Reply& reply) {
    stop.request_stop();
    reply.hold();
  });
  const auto result = api.transport->perform(get("/x"), {stop.get_token()});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kCancelled);
}

TEST_CASE("A body larger than allowed is given up") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) {
    reply.send(200, std::string(20'000, 'x'));
  });
  Request request = get("/x");
  request.max_response_bytes = 10'000;
  const auto result = api.transport->perform(std::move(request), {});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kBudget);
  CHECK(result.error().message().ends_with(
      "the response (HTTP status 200) is larger than 10000 bytes"));
  // The limit for the body of an error is lower than for an object.
  TransportFixture wordy([](const SeenRequest& /*request*/, Reply& reply) {
    reply.send(500, std::string(2'000'000, 'x'));
  });
  const auto error = wordy.transport->perform(get("/x"), {});
  REQUIRE_FALSE(error.ok());
  CHECK(error.error().message().ends_with(
      "the response (HTTP status 500) is larger than 1048576 bytes"));
}

TEST_CASE("A header that is too large is named, with its limit") {
  const auto failure = [](const FakeServer::Handler& handler) {
    TransportFixture api(handler);
    const auto result = api.transport->perform(get("/x"), {});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code() == ErrorCode::kUnavailable);
    const std::string message = result.error().message();
    return message.substr(message.find("/x: ") + 4);
  };
  CHECK(failure([](const SeenRequest&, Reply& reply) {
          reply.send(200, "", {{"X", std::string(5'000'000, 'x')}});
        }) == "a line of the response's header is larger than 102400 bytes");
  CHECK(failure([](const SeenRequest&, Reply& reply) {
          std::map<std::string, std::string> headers;
          for (int i = 0; i < 20; ++i) {
            headers["X" + std::to_string(i)] = std::string(5'000, 'x');
          }
          reply.send(200, "", headers);
        }) == "the response's header is larger than 65536 bytes");
  CHECK(failure([](const SeenRequest&, Reply& reply) {
          reply.begin(200);
          reply.end("X: " + std::string(5'000, 'x') + "\r\n");
        }) == "a line of the response's trailer is larger than 4096 bytes");
}

TEST_CASE("A request whose header no server takes is not sent") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) { reply.send(200, ""); });
  const auto long_path = api.transport->perform(get("/" + std::string(9'000'000, 'x')), {});
  REQUIRE_FALSE(long_path.ok());
  CHECK(long_path.error().code() == ErrorCode::kInvalidArgument);
  CHECK(long_path.error().message() ==
        "GET " + api.server.url() +
            ": path, query and token are 9000001 bytes long, more than 524288");
  const auto watch = api.transport->stream(get("/" + std::string(600'000, 'x')), {}, {},
                                           [](std::string_view /*chunk*/) { return Status(); });
  CHECK(watch.error().code() == ErrorCode::kInvalidArgument);
  Config config;
  config.server = api.server.url();
  config.token = std::string(600'000, 't');
  api.connect(config);
  const auto long_token = api.transport->perform(get("/x"), {});
  REQUIRE_FALSE(long_token.ok());
  CHECK(long_token.error().message().find("ttt") == std::string::npos);
  CHECK(api.server.connections() == 0);
  // The largest request that may be sent arrives.
  config.token = "t";
  api.connect(config);
  CHECK(api.transport->perform(get("/" + std::string((512 << 10) - 2, 'x')), {}).ok());
}

TEST_CASE("A stream that is read slowly loses nothing, and holds up no other one") {
  constexpr size_t kBytes = 60'000;
  std::latch reading(1);
  std::latch sent(1);
  TransportFixture api([&](const SeenRequest& request, Reply& reply) {
    reply.begin(200);
    reply.chunk("one");
    if (request.target == "/watch") {
      reading.wait();
      reply.chunk(std::string(kBytes, 'x'));
      sent.count_down();
    }
    reply.end();
  });
  Request request = get("/watch");
  request.max_response_bytes = 10'000;
  size_t bytes = 0;
  bool other_ended = false;
  const auto end = api.transport->stream(std::move(request), {}, {}, [&](std::string_view chunk) {
    if (std::exchange(bytes, bytes + chunk.size()) == 0 && !chunk.empty()) {
      reading.count_down();
      sent.wait();
      // By the end of another stream, the loop has taken all that it would.
      other_ended =
          api.transport->stream(get("/other"), {}, {}, [](std::string_view) { return Status(); })
              .ok();
    }
    CHECK(chunk.size() < 30'000);
    return Status();
  });
  CHECK(end.ok());
  CHECK(other_ended);
  CHECK(bytes == 3 + kBytes);
}

TEST_CASE("A call's timeout counts from its beginning, not from its last byte") {
  base::ManualClock* clock = nullptr;
  TransportFixture api([&clock](const SeenRequest& /*request*/, Reply& reply) {
    reply.begin(200);
    for (int i = 0; i < 10; ++i) {
      reply.chunk("x");
      clock->advance(seconds(4));
    }
    reply.chunk("x");  // Wakes the waiting caller.
    reply.hold();
  });
  clock = &api.clock;
  const auto result = api.transport->perform(get("/x"), {});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kTimeout);
  CHECK(result.error().message().ends_with("no answer within 30s"));
  CHECK(api.server.requests().size() == 1);
}

TEST_CASE("A call without time left sends nothing") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) { reply.send(200, ""); });
  const auto result = api.transport->perform(get("/x"), {{}, seconds(30), seconds(30)});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kTimeout);
  CHECK(api.server.connections() == 0);
}

TEST_CASE("A server that is not there, or goes away, is unavailable") {
  std::string gone;
  {
    const FakeServer server([](const SeenRequest&, Reply&) {});
    gone = server.url();
  }
  base::ManualClock clock;
  Config config;
  config.server = gone;
  const auto transport = CW_MUST(make_transport(config, clock));
  const auto refused = transport->perform(get("/x"), {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == ErrorCode::kUnavailable);
  CHECK(refused.error().message().find(" ms") == std::string::npos);  // It would change each time.

  TransportFixture cutting([](const SeenRequest& /*request*/, Reply& reply) {
    reply.begin(200);
    reply.chunk("half");
    reply.cut();
  });
  const auto cut = cutting.transport->perform(get("/x"), {});
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().code() == ErrorCode::kUnavailable);
}

TEST_CASE("The repeat after a refused token has what is left of the timeout") {
  std::string path = (std::filesystem::temp_directory_path() / "cw-transport-XXXXXX").string();
  const int fd = mkstemp(path.data());
  REQUIRE(fd >= 0);
  close(fd);
  std::ofstream(path) << "old";
  base::ManualClock* clock = nullptr;
  TransportFixture api([&](const SeenRequest& /*request*/, Reply& reply) {
    std::ofstream(path) << "new";
    clock->advance(seconds(20));
    reply.send(401, "");
  });
  clock = &api.clock;
  Config config;
  config.server = api.server.url();
  config.token_file = path;
  api.connect(config);
  const auto late = api.transport->perform(get("/x"), {{}, seconds(20)});
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code() == ErrorCode::kTimeout);
  CHECK(api.server.requests().size() == 1);
  std::filesystem::remove(path);
}

TEST_CASE("A refused token is read again from its file and the call repeated once") {
  std::string path = (std::filesystem::temp_directory_path() / "cw-transport-XXXXXX").string();
  const int fd = mkstemp(path.data());
  REQUIRE(fd >= 0);
  close(fd);
  std::ofstream(path) << "old";
  TransportFixture api([](const SeenRequest& request, Reply& reply) {
    const bool good = request.headers.at("authorization") == "Bearer new";
    reply.send(good ? 200 : 401, request.body);
  });
  Config config;
  config.server = api.server.url();
  config.token_file = path;
  api.connect(config);

  // The file has no new token, so the refusal is the result.
  CHECK(CW_MUST(api.transport->perform(get("/x"), {})).status == 401);
  CHECK(api.server.requests().size() == 1);

  std::ofstream(path) << "new";
  Request request = get("/x");
  request.method = Method::kPost;
  request.content_type = "text/plain";
  request.body = "payload";
  const Response second = CW_MUST(api.transport->perform(std::move(request), {}));
  CHECK(second.status == 200);
  CHECK(second.body == "payload");
  CHECK(api.server.requests().size() == 3);
  std::filesystem::remove(path);
}

TEST_CASE("A stream hands on what arrives and ends cleanly") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) {
    reply.begin(200);
    reply.chunk("one");
    reply.chunk("two");
    reply.end();
  });
  std::string got;
  const auto end = api.transport->stream(get("/watch"), {}, {}, [&got](std::string_view chunk) {
    got += chunk;
    return Status();
  });
  REQUIRE(end.ok());
  CHECK(end->status == 200);
  CHECK(got == "onetwo");
}

TEST_CASE("A stream reports that it is accepted before anything else arrives") {
  std::atomic<bool> told{false};
  TransportFixture api([&told](const SeenRequest& /*request*/, Reply& reply) {
    reply.begin(200);
    told.wait(false);
    reply.chunk("one");
    reply.end();
  });
  std::vector<std::string> got;
  const auto end = api.transport->stream(get("/watch"), {}, {}, [&](std::string_view chunk) {
    got.emplace_back(chunk);
    told.store(true);
    told.notify_all();
    return Status();
  });
  REQUIRE(end.ok());
  CHECK(got == std::vector<std::string>{"", "one"});
}

TEST_CASE("Data that arrived before a cut is handed on before the failure is reported") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) {
    reply.begin(200);
    reply.chunk("one");
    reply.cut();
  });
  std::string got;
  const auto end = api.transport->stream(get("/watch"), {}, {}, [&got](std::string_view chunk) {
    got += chunk;
    return Status();
  });
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kUnavailable);
  CHECK(got == "one");
}

TEST_CASE("A refused stream returns its answer and reaches no sink") {
  TransportFixture api(
      [](const SeenRequest& /*request*/, Reply& reply) { reply.send(410, "gone"); });
  const auto end =
      api.transport->stream(get("/watch"), {}, {}, [](std::string_view /*chunk*/) -> Status {
        return base::Error(ErrorCode::kInternal, "called");
      });
  REQUIRE(end.ok());
  CHECK(end->status == 410);
  CHECK(end->body == "gone");
}

TEST_CASE("A silent stream is given up after its idle time, counted from the last byte") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) {
    reply.begin(200);
    reply.chunk("one");
    reply.hold();
  });
  StreamLimits limits;
  limits.idle = seconds(60);
  std::atomic<size_t> bytes{0};
  Blocked<Response> call([&] {
    return api.transport->stream(get("/watch"), limits, {}, [&](std::string_view chunk) {
      bytes += chunk.size();
      return Status();
    });
  });
  // The wait after the first chunk is the one with the idle timeout.
  while (bytes == 0) {
    api.clock.await_waiters(1);
  }
  api.clock.await_waiters(1);
  api.clock.advance(seconds(60));
  const auto end = call.join();
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kTimeout);
  CHECK(end.error().message().find("silent for 1m0s") != std::string::npos);
}

TEST_CASE("A stream that gets no answer is given up after its response time") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) { reply.hold(); });
  StreamLimits limits;
  limits.response = seconds(7);
  Blocked<Response> call([&] {
    return api.transport->stream(get("/watch"), limits, {},
                                 [](std::string_view /*chunk*/) { return Status(); });
  });
  api.clock.await_waiters(1);
  api.clock.advance(seconds(7));
  const auto end = call.join();
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().code() == ErrorCode::kTimeout);
}

TEST_CASE("A stream ends when it is stopped, or when its sink refuses") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) {
    reply.begin(200);
    reply.chunk("one");
    reply.hold();
  });
  std::stop_source stop;
  const auto stopped = api.transport->stream(get("/watch"), {}, stop.get_token(),
                                             [&stop](std::string_view /*chunk*/) {
                                               stop.request_stop();
                                               return Status();
                                             });
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code() == ErrorCode::kCancelled);

  const auto refused =
      api.transport->stream(get("/watch"), {}, {}, [](std::string_view /*chunk*/) -> Status {
        return base::Error(ErrorCode::kExpired, "enough");
      });
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == ErrorCode::kExpired);
}

TEST_CASE("A call that waits for its answer holds up no other; calls in turn share a connection") {
  std::latch seen(1);
  TransportFixture api([&seen](const SeenRequest& request, Reply& reply) {
    if (request.target == "/slow") {
      seen.count_down();
      reply.hold();
    } else {
      reply.send(200, "");
    }
  });
  std::stop_source stop;
  Blocked<Response> slow([&] { return api.transport->perform(get("/slow"), {stop.get_token()}); });
  seen.wait();
  for (int i = 0; i < 3; ++i) {
    CHECK(api.transport->perform(get("/quick"), {}).ok());
  }
  CHECK(api.server.connections() == 2);
  stop.request_stop();
  CHECK_FALSE(slow.join().ok());
}

TEST_CASE("A call that was stopped before it began sends nothing") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) { reply.send(200, ""); });
  std::stop_source stop;
  stop.request_stop();
  const auto result = api.transport->perform(get("/x"), {stop.get_token()});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kCancelled);
  CHECK(api.server.connections() == 0);
}

TEST_CASE("A prefix in the server's URL stays in front of every path") {
  TransportFixture api([](const SeenRequest& /*request*/, Reply& reply) { reply.send(200, ""); });
  Config config;
  config.server = api.server.url() + "/k8s/clusters/c1";
  api.connect(config);
  CHECK(api.transport->perform(get("/api"), {}).ok());
  CHECK(api.server.requests().back().target == "/k8s/clusters/c1/api");
}

TEST_CASE("Certificates that cannot be used are an error of the configuration") {
  base::ManualClock clock;
  Config config;
  config.server = "https://127.0.0.1:1";
  config.ca.file = "/nonexistent/ca.crt";
  const auto missing = make_transport(config, clock);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace chartwright::kube
