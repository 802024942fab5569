// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace chartwright::runtime::testing {

/// A connection to a server of this machine that sends any bytes.
class RawClient {
 public:
  explicit RawClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    const timeval limit{5, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

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

/// Returns the replies to what is sent over one connection.
inline std::string ask(uint16_t port, std::string_view request) {
  const RawClient client(port);
  client.send(request);
  return client.read_until("");
}

}  // namespace chartwright::runtime::testing
