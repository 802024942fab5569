// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <new>
#include <vector>

namespace chartwright::runtime {
namespace {

using base::ErrorCode;

class Connection {
 public:
  explicit Connection(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    const timeval limit{5, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~Connection() { close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::string_view text) const {
    REQUIRE(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  /// Reads until the server closes the connection or `end` has arrived.
  std::string read_until(std::string_view end) const {
    std::string got;
    std::array<char, 4096> piece;
    while (end.empty() || got.find(end) == std::string::npos) {
      const ssize_t bytes = recv(fd_, piece.data(), piece.size(), 0);
      if (bytes <= 0) {
        break;
      }
      got.append(piece.data(), static_cast<size_t>(bytes));
    }
    return got;
  }

 private:
  const int fd_;
};

std::string ask(uint16_t port, std::string_view request) {
  const Connection connection(port);
  connection.send(request);
  return connection.read_until("");
}

std::unique_ptr<HttpServer> start() {
  return CW_MUST(
      HttpServer::start("127.0.0.1:0", {{"/healthz",
                                         [](const HttpRequest&) {
                                           return HttpReply{200, "text/plain", "ok"};
                                         }},
                                        {"/readyz", [](const HttpRequest&) {
                                           return HttpReply{503, "text/plain", "not yet"};
                                         }}}));
}

TEST_CASE("Routes answer with their status and body") {
  const auto server = start();
  const std::string ok =
      ask(server->port(), "GET /healthz?verbose HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(ok.starts_with("HTTP/1.1 200 "));
  CHECK(ok.ends_with("\r\n\r\nok"));
  const std::string busy =
      ask(server->port(), "GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(busy.starts_with("HTTP/1.1 503 "));
  CHECK(busy.ends_with("not yet"));
}

TEST_CASE("HEAD has no body, unknown paths and methods are refused") {
  const auto server = start();
  const auto status = [&](std::string_view line) {
    return ask(server->port(),
               std::string(line) + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  };
  CHECK(status("HEAD /healthz").ends_with("\r\n\r\n"));
  CHECK(status("GET /").starts_with("HTTP/1.1 404 "));
  CHECK(status("GET /healthz/x").starts_with("HTTP/1.1 404 "));
  CHECK(status("DELETE /healthz").starts_with("HTTP/1.1 405 "));
}

TEST_CASE("A handler that throws is answered with 500, and the server goes on") {
  const auto server = CW_MUST(HttpServer::start(
      "127.0.0.1:0",
      {{"/metrics", [](const HttpRequest&) -> HttpReply { throw std::bad_alloc(); }}}));
  for (int i = 0; i < 2; ++i) {
    CHECK(ask(server->port(), "GET /metrics HTTP/1.0\r\n\r\n").find(" 500 ") != std::string::npos);
  }
}

TEST_CASE("A connection serves several requests") {
  const auto server = start();
  const Connection connection(server->port());
  for (int i = 0; i < 3; ++i) {
    connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    CHECK(connection.read_until("\r\n\r\nok").starts_with("HTTP/1.1 200 "));
  }
}

TEST_CASE("A probe is answered, however many connections are held") {
  const auto server = start();
  std::vector<std::unique_ptr<Connection>> held;
  for (int i = 0; i < 200; ++i) {
    held.push_back(std::make_unique<Connection>(server->port()));
    if (i % 3 == 1) {
      held.back()->send("GET /healthz HTTP/1.1\r\nHos");
    } else if (i % 3 == 2) {
      held.back()->send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    const std::string ok =
        ask(server->port(), "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    REQUIRE(ok.starts_with("HTTP/1.1 200 "));
    held.erase(held.begin(), held.size() > 100 ? held.begin() + 1 : held.begin());
  }
}

TEST_CASE("A client that holds many connections is told to connect again") {
  const auto server = start();
  std::vector<std::unique_ptr<Connection>> held;
  std::string last;
  for (int i = 0; i < 8; ++i) {
    held.push_back(std::make_unique<Connection>(server->port()));
    held.back()->send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    last = held.back()->read_until("\r\n\r\nok");
    CHECK((last.find("Connection: close") == std::string::npos) == (i < 4));
    if (i >= 4) {
      held.pop_back();
      held.push_back(std::make_unique<Connection>(server->port()));
    }
  }
}

TEST_CASE("A header that does not arrive ends the connection within seconds") {
  const auto server = start();
  const auto began = std::chrono::steady_clock::now();
  CHECK(ask(server->port(), "").empty());
  CHECK(ask(server->port(), "GET /healthz HT").empty());
  const Connection second(server->port());
  second.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(second.read_until("\r\n\r\nok").starts_with("HTTP/1.1 200 "));
  second.send("G");
  CHECK(second.read_until("").empty());
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(9));
}

TEST_CASE("Requests that are sent together are answered in turn") {
  const auto server = start();
  const std::string one = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  const Connection connection(server->port());
  connection.send(one + one + "GET /readyz HTTP/1.0\r\n\r\n");
  const std::string got = connection.read_until("");
  CHECK(got.ends_with("not yet"));
  CHECK(got.find("200 OK") != got.rfind("200 OK"));
}

TEST_CASE("Headers too long and garbage end the connection, not the server") {
  const auto server = start();
  const std::string endless = "GET /healthz HTTP/1.1\r\nX: " + std::string(20'000, 'x');
  CHECK(ask(server->port(), endless).empty());
  CHECK(ask(server->port(), "\x16\x03\x01 not http\r\n\r\n").empty());
  CHECK(ask(server->port(), "GET /healthz HTTP/1.0\r\n\r\n").find(" 200 ") != std::string::npos);
}

TEST_CASE("Addresses are checked before anything listens") {
  for (const char* address :
       {"", "8081", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x", "no host:1", "[::1:80"}) {
    INFO(address);
    const auto server = HttpServer::start(address, {});
    REQUIRE_FALSE(server.ok());
    CHECK(server.error().code() == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("An address in use is said so") {
  const auto first = start();
  const auto second = HttpServer::start("127.0.0.1:" + std::to_string(first->port()), {});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code() == ErrorCode::kUnavailable);
  CHECK(second.error().message() ==
        "listen on 127.0.0.1:" + std::to_string(first->port()) + ": Address already in use");
}

TEST_CASE("An address without host listens on all of them") {
  const auto server = CW_MUST(HttpServer::start(":0", {{"/healthz", [](const HttpRequest&) {
                                                          return HttpReply{200, "text/plain", "ok"};
                                                        }}}));
  CHECK(ask(server->port(), "GET /healthz HTTP/1.0\r\n\r\n").find(" 200 ") != std::string::npos);
}

}  // namespace
}  // namespace chartwright::runtime
