// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_server.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <new>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "test/runtime/raw_client.h"

namespace chartwright::runtime {
namespace {

using base::ErrorCode;
using testing::ask;
using testing::RawClient;

constexpr auto kLong = std::chrono::seconds(30);

HttpServerOptions local(int workers = 0) {
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  options.workers = workers;
  return options;
}

/// Replies with the target, which says who was asked.
HttpReply echo(const HttpRequest& request) {
  return text_reply(200, "to " + request.target + request.body);
}

std::unique_ptr<HttpServer> start_echo(int workers = 0) {
  return CW_MUST(HttpServer::start(local(workers), echo));
}

std::string get(std::string_view target, std::string_view version = "1.1") {
  return "GET " + std::string(target) + " HTTP/" + std::string(version) + "\r\nHost: x\r\n\r\n";
}

/// An event that happens once, on another thread.
class Moment {
 public:
  void come() CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    has_come_ = true;
    changed_.notify_all();
  }
  /// Returns false if it does not come within half a minute.
  bool await() CW_EXCLUDES(mutex_) {
    base::SystemClock clock;
    const base::MonotonicTime deadline = base::after(clock.monotonic(), kLong);
    const base::MutexLock lock(mutex_);
    while (!has_come_ && clock.monotonic() < deadline) {
      clock.wait_until(changed_, mutex_, deadline);
    }
    return has_come_;
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  bool has_come_ CW_GUARDED_BY(mutex_) = false;
};

/// A stream of some parts, which then waits or ends.
class Parts final : public HttpStream {
 public:
  Parts(std::vector<std::string> parts, bool ends) : parts_(std::move(parts)), ends_(ends) {}
  std::optional<std::string> next() override {
    if (at_ < parts_.size()) {
      return parts_[at_++];
    }
    return ends_ ? std::nullopt : std::optional<std::string>("");
  }
  void on_more(std::function<void()> /*wake*/) override {}

 private:
  const std::vector<std::string> parts_;
  const bool ends_;
  size_t at_ = 0;
};

HttpReply stream_of(std::vector<std::string> parts, bool ends, base::Duration at_most = {}) {
  HttpReply reply;
  reply.stream = std::make_unique<Parts>(std::move(parts), ends);
  reply.stream_max = at_most;
  return reply;
}

TEST_CASE("A request has its path, and headers by their lower-case names") {
  HttpRequest request;
  request.target = "/a/b?c=d?e";
  request.headers = {{"accept", "a"}, {"accept", "b"}};
  CHECK(request.path() == "/a/b");
  CHECK(request.header("accept") == "a");
  CHECK(request.header("x").empty());
}

TEST_CASE("A handler that throws is answered with 500, and the server goes on") {
  const int workers = GENERATE(0, 2);
  const auto server = CW_MUST(HttpServer::start(
      local(workers), [](const HttpRequest&) -> HttpReply { throw std::bad_alloc(); }));
  for (int i = 0; i < 2; ++i) {
    const std::string got = ask(server->port(), get("/", "1.0"));
    CHECK(got.starts_with("HTTP/1.0 500 "));
    CHECK(got.ends_with("\r\n\r\ninternal error\n"));
  }
}

TEST_CASE("A connection serves several requests") {
  const auto server = start_echo(GENERATE(0, 2));
  const RawClient client(server->port());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/healthz"));
    CHECK(client.read_until("\r\n\r\nto /healthz").starts_with("HTTP/1.1 200 "));
  }
}

TEST_CASE("A header that does not arrive ends the connection within seconds") {
  const auto server = start_echo();
  const auto began = std::chrono::steady_clock::now();
  CHECK(ask(server->port(), "").empty());
  CHECK(ask(server->port(), "GET /healthz HT").empty());
  const RawClient second(server->port());
  second.send(get("/healthz"));
  CHECK(second.read_until("\r\n\r\nto /healthz").starts_with("HTTP/1.1 200 "));
  second.send("G");
  CHECK(second.read_until("").empty());
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(9));
}

TEST_CASE("Requests that are sent together are answered in turn") {
  const auto server = start_echo(GENERATE(0, 2));
  const RawClient client(server->port());
  client.send(get("/1") + get("/2") + get("/3", "1.0"));
  const std::string got = client.read_until("");
  CHECK(got.ends_with("to /3"));
  CHECK(got.find("200 OK") != got.rfind("200 OK"));
  CHECK(got.find("to /1") < got.find("to /2"));
}

TEST_CASE("A reply has the HTTP version of its request") {
  const auto server = start_echo(GENERATE(0, 2));
  CHECK(ask(server->port(), "GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200 "));
  CHECK(ask(server->port(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 200 "));
}

TEST_CASE("Headers too long and garbage end the connection, not the server") {
  const auto server = start_echo();
  const std::string endless = "GET /healthz HTTP/1.1\r\nX: " + std::string(20'000, 'x');
  CHECK(ask(server->port(), endless).empty());
  CHECK(ask(server->port(), "\x16\x03\x01 not http\r\n\r\n").empty());
  CHECK(ask(server->port(), "GET /healthz HTTP/1.0\r\n\r\n").find(" 200 ") != std::string::npos);
}

TEST_CASE("A stranger may send a body of 4 KiB") {
  const auto server = start_echo();
  const auto post = [&](size_t bytes) {
    return ask(server->port(), "POST / HTTP/1.0\r\nContent-Length: " + std::to_string(bytes) +
                                   "\r\n\r\n" + std::string(bytes, 'b'));
  };
  CHECK(post(4096).ends_with("to /" + std::string(4096, 'b')));
  CHECK(post(4097).empty());
}

TEST_CASE("A stream is sent in parts, and ends the connection") {
  const auto server = CW_MUST(HttpServer::start(local(GENERATE(0, 2)), [](const HttpRequest&) {
    return stream_of({"one", "three"}, true);
  }));
  const std::string got = ask(server->port(), get("/"));
  CHECK(got.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(got.find("Connection: close\r\n") != std::string::npos);
  CHECK(got.ends_with("\r\n\r\n3\r\none\r\n5\r\nthree\r\n0\r\n\r\n"));
}

TEST_CASE("A stream ends after its time, and when the server drains") {
  const base::Duration at_most =
      GENERATE(base::Duration(std::chrono::milliseconds(1)), base::Duration(std::chrono::hours(1)));
  const auto server = CW_MUST(HttpServer::start(
      local(1), [at_most](const HttpRequest&) { return stream_of({"one"}, false, at_most); }));
  const RawClient client(server->port());
  client.send(get("/"));
  const std::string begin = client.read_until("3\r\none\r\n");
  if (at_most > kLong) {
    CHECK(begin.ends_with("3\r\none\r\n"));
    server->drain(std::chrono::seconds(1));
  }
  CHECK((begin + client.read_until("")).ends_with("\r\n0\r\n\r\n"));
}

TEST_CASE("More streams than the server has places for are refused, until one ends") {
  HttpServerOptions options = local();
  options.streams_max = 1;
  const auto server = CW_MUST(
      HttpServer::start(options, [](const HttpRequest&) { return stream_of({"a"}, false); }));
  {
    const RawClient first(server->port());
    first.send(get("/"));
    CHECK(first.read_until("1\r\na\r\n").starts_with("HTTP/1.1 200 "));
    CHECK(ask(server->port(), get("/", "1.0")).starts_with("HTTP/1.0 429 "));
  }
  std::string got;
  const auto began = std::chrono::steady_clock::now();
  while (!got.starts_with("HTTP/1.1 200 ") && std::chrono::steady_clock::now() - began < kLong) {
    const RawClient next(server->port());
    next.send(get("/"));
    got = next.read_until("\r\n\r\n");
  }
  CHECK(got.starts_with("HTTP/1.1 200 "));
}

TEST_CASE("More requests than may wait are refused, and prompt ones have a worker") {
  Moment began;
  Moment go_on;
  HttpServerOptions options = local(1);
  options.waiting_max = 1;
  options.turn = [](const HttpRequest& request) {
    return HttpTurn{.client = "one", .prompt = request.target == "/prompt"};
  };
  const auto server = CW_MUST(HttpServer::start(options, [&](const HttpRequest& request) {
    if (request.target == "/slow") {
      began.come();
      go_on.await();
    }
    return echo(request);
  }));
  const RawClient running(server->port());
  running.send(get("/slow", "1.0"));
  REQUIRE(began.await());
  const RawClient one(server->port());
  one.send(get("/later", "1.0"));
  const RawClient other(server->port());
  other.send(get("/later", "1.0"));
  CHECK(ask(server->port(), get("/prompt", "1.0")).ends_with("to /prompt"));
  const std::string refused = other.read_until("");
  CHECK(refused.starts_with("HTTP/1.0 429 "));
  CHECK(refused.ends_with("\r\n\r\ntoo many requests\n"));
  go_on.come();
  CHECK(running.read_until("").ends_with("to /slow"));
  CHECK(one.read_until("").ends_with("to /later"));
}

TEST_CASE("A worker learns that its client has gone") {
  Moment began;
  Moment stopped;
  const auto server = CW_MUST(HttpServer::start(local(1), [&](const HttpRequest& request) {
    const std::stop_callback tell(request.stop, [&] { stopped.come(); });
    began.come();
    stopped.await();
    return HttpReply();
  }));
  {
    const RawClient client(server->port());
    client.send(get("/"));
    REQUIRE(began.await());
  }
  CHECK(stopped.await());
}

TEST_CASE("A server that drains waits for running requests, and answers no others") {
  Moment began;
  const auto server = CW_MUST(HttpServer::start(local(1), [&](const HttpRequest& request) {
    began.come();
    return echo(request);
  }));
  const RawClient idle(server->port());
  idle.send(get("/"));
  CHECK(idle.read_until("to /").starts_with("HTTP/1.1 200 "));
  server->drain(std::chrono::seconds(1));
  idle.send(get("/", "1.0"));
  const std::string got = idle.read_until("");
  CHECK(got.starts_with("HTTP/1.0 503 "));
  CHECK(got.ends_with("\r\n\r\nshutting down\n"));
}

TEST_CASE("A server of TLS refuses connections until it has an identity") {
  HttpServerOptions options = local();
  options.tls = true;
  const auto server = CW_MUST(HttpServer::start(options, echo));
  const RawClient client(server->port());
  CHECK(client.read_until("").empty());
  CHECK(server->identify({"no certificate", "no key"}, "").error().code() ==
        ErrorCode::kInvalidArgument);
  server->drain(std::chrono::seconds(1));
}

TEST_CASE("Addresses are checked before anything listens") {
  for (const char* address : {"", "nowhere", "8081", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x",
                              "no host:1", "[::1:80"}) {
    INFO(address);
    HttpServerOptions options;
    options.address = address;
    const auto server = HttpServer::start(options, echo);
    REQUIRE_FALSE(server.ok());
    CHECK(server.error().code() == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("An address in use is said so") {
  const auto first = start_echo();
  HttpServerOptions options;
  options.address = "127.0.0.1:" + std::to_string(first->port());
  const auto second = HttpServer::start(options, echo);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code() == ErrorCode::kUnavailable);
  CHECK(second.error().message() ==
        "listen on 127.0.0.1:" + std::to_string(first->port()) + ": Address already in use");
}

TEST_CASE("An address without host listens on all of them") {
  HttpServerOptions options;
  options.address = ":0";
  const auto server = CW_MUST(HttpServer::start(options, echo));
  CHECK(ask(server->port(), "GET /healthz HTTP/1.0\r\n\r\n").find(" 200 ") != std::string::npos);
}

}  // namespace
}  // namespace chartwright::runtime
