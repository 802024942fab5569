// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/thread.h"
#include "kube/http_transport.h"
#include "test/base/manual_clock.h"

namespace chartwright::kube {
namespace {

using base::ErrorCode;
using std::chrono::seconds;

/// A socket on loopback that serves one connection with `serve`, byte by byte.
class OneConnection {
 public:
  explicit OneConnection(std::function<void(int fd)> serve) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    CW_CHECK(bind(listener_, generic, length) == 0);
    CW_CHECK(listen(listener_, 1) == 0);
    CW_CHECK(getsockname(listener_, generic, &length) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = base::Thread("one-conn", base::kDefaultStackBytes, [this, serve = std::move(serve)] {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      serve(fd);
      close(fd);
    });
  }
  ~OneConnection() {
    thread_.join();
    close(listener_);
  }
  OneConnection(const OneConnection&) = delete;
  OneConnection& operator=(const OneConnection&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  uint16_t port_ = 0;
  base::Thread thread_;
};

/// Returns how many bytes came before the client closed the connection.
size_t count_to_end(int fd) {
  std::array<char, 65536> piece;
  size_t bytes = 0;
  for (ssize_t got = 0; (got = recv(fd, piece.data(), piece.size(), 0)) > 0;) {
    bytes += static_cast<size_t>(got);
  }
  return bytes;
}

std::string receive_exactly(int fd, size_t bytes) {
  std::string data(bytes, '\0');
  CW_CHECK(recv(fd, data.data(), bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes));
  return data;
}

void send_all(int fd, std::string_view bytes) {
  CW_CHECK(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size()));
}

/// Answers as a SOCKS 5 proxy (RFC 1928), and calls `before_connected` before its last answer.
void serve_socks(int fd, const std::function<void()>& before_connected) {
  const auto methods = static_cast<size_t>(receive_exactly(fd, 2)[1]);
  receive_exactly(fd, methods);
  send_all(fd, std::string_view("\5\0", 2));
  receive_exactly(fd, 10);  // CONNECT to an IPv4 address and port.
  before_connected();
  send_all(fd, std::string_view("\5\0\0\1\0\0\0\0\0\0", 10));
}

Request patch(std::string body) {
  Request request;
  request.method = Method::kPatch;
  request.target = "/x";
  request.content_type = "application/json";
  request.body = std::move(body);
  return request;
}

TEST_CASE("A request whose connection was made after the deadline is not sent") {
  base::ManualClock clock;
  size_t sent = 1;
  Config config;
  base::Result<Response> result = Response{};
  {
    const OneConnection proxy([&](int fd) {
      serve_socks(fd, [&] { clock.advance(seconds(31)); });  // As if it had been suspended.
      sent = count_to_end(fd);
    });
    config.server = "http://127.0.0.1:80";
    config.proxy_url = "socks5://" + proxy.address();
    const auto transport = CW_MUST(make_transport(config, clock));
    result = transport->perform(patch("{}"), {});
  }
  CHECK(sent == 0);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kTimeout);
  CHECK(result.error().reason() == kNotSent);
  CHECK(result.error().message().ends_with("/x: no answer within 30s"));
}

TEST_CASE("A request that is half sent at the deadline is not completed") {
  constexpr size_t kBytes = size_t{32} << 20;  // More than the sockets' buffers hold.
  base::ManualClock clock;
  size_t sent = 0;
  base::Result<Response> result = Response{};
  {
    const OneConnection server([&](int fd) {
      receive_exactly(fd, 1000);
      clock.advance(seconds(31));
      sent = count_to_end(fd);
    });
    Config config;
    config.server = "http://" + server.address();
    const auto transport = CW_MUST(make_transport(config, clock));
    result = transport->perform(patch(std::string(kBytes, 'x')), {});
  }
  CHECK(sent < kBytes);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::kTimeout);
  CHECK(result.error().reason().empty());
}

TEST_CASE("A request that was sent whole before the deadline may be answered at it") {
  for (const std::string body : {"", "{}"}) {
    base::ManualClock clock;
    base::Result<Response> result = Response{};
    {
      const OneConnection server([&](int fd) {
        std::string request;
        while (!request.ends_with("\r\n\r\n" + body)) {
          request.push_back('\0');
          CW_CHECK(recv(fd, &request.back(), 1, 0) == 1);
        }
        clock.advance(seconds(31));
        send_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        count_to_end(fd);
      });
      Config config;
      config.server = "http://" + server.address();
      const auto transport = CW_MUST(make_transport(config, clock));
      result = transport->perform(patch(body), {});
    }
    REQUIRE(result.ok());
    CHECK(result->status == 200);
  }
}

}  // namespace
}  // namespace chartwright::kube
