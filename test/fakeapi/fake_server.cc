// SPDX-License-Identifier: Apache-2.0
#include "test/fakeapi/fake_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace chartwright::fakeapi {
namespace {

/// Appends received bytes to `buffer`. Returns false if the client is gone.
bool receive(int fd, std::string& buffer) {
  std::array<char, 4096> piece;
  const ssize_t got = recv(fd, piece.data(), piece.size(), 0);
  if (got <= 0) {
    return false;
  }
  buffer.append(piece.data(), static_cast<size_t>(got));
  return true;
}

SeenRequest parse_head(std::string_view head) {
  SeenRequest request;
  const auto lines = base::split(head, '\n');
  const auto words = base::split(base::trim(lines.front()), ' ');
  CW_CHECK(words.size() == 3);
  request.method = words[0];
  request.target = words[1];
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    if (colon != std::string_view::npos) {
      request.headers[base::to_lower_ascii(lines[i].substr(0, colon))] =
          base::trim(lines[i].substr(colon + 1));
    }
  }
  return request;
}

/// Returns the next request of a connection; nullopt if the client is gone.
std::optional<SeenRequest> read_request(int fd, std::string& buffer) {
  size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!receive(fd, buffer)) {
      return std::nullopt;
    }
  }
  SeenRequest request = parse_head(std::string_view(buffer).substr(0, end));
  buffer.erase(0, end + 4);
  const auto length = request.headers.find("content-length");
  const auto bytes = length == request.headers.end()
                         ? size_t{0}
                         : static_cast<size_t>(base::parse_int(length->second).value_or(0));
  while (buffer.size() < bytes) {
    if (!receive(fd, buffer)) {
      return std::nullopt;
    }
  }
  request.body = buffer.substr(0, bytes);
  buffer.erase(0, bytes);
  return request;
}

}  // namespace

void Reply::write(std::string_view bytes) {
  while (!bytes.empty() && !cut_) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      cut_ = true;
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void Reply::send(int status, std::string_view body,
                 const std::map<std::string, std::string>& headers) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " X\r\n";
  for (const auto& [name, value] : headers) {
    head += name + ": " + value + "\r\n";
  }
  head += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  write(head.append(body));  // In one write, or Nagle's algorithm delays each answer by 40 ms.
}

void Reply::begin(int status) {
  write("HTTP/1.1 " + std::to_string(status) + " X\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void Reply::chunk(std::string_view text) {
  std::array<char, 20> size;
  const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", text.size());
  write(std::string_view(size.data(), static_cast<size_t>(length)));
  write(text);
  write("\r\n");
}

void Reply::end(std::string_view trailer) { write("0\r\n" + std::string(trailer) + "\r\n"); }

void Reply::cut() { cut_ = true; }

void Reply::hold() {
  std::string ignored;
  while (receive(fd_, ignored)) {
  }
  cut_ = true;
}

FakeServer::FakeServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  CW_CHECK(bind(listener_, generic, length) == 0);
  CW_CHECK(listen(listener_, 64) == 0);
  CW_CHECK(getsockname(listener_, generic, &length) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = base::Thread("fake-accept", base::kDefaultStackBytes, [this] { accept_all(); });
}

FakeServer::~FakeServer() {
  std::vector<base::Thread> connections;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    for (const int fd : sockets_) {
      shutdown(fd, SHUT_RDWR);
    }
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    base::MutexLock lock(mutex_);
    connections.swap(connections_);
  }
  connections.clear();
  for (const int fd : sockets_) {
    close(fd);
  }
  close(listener_);
}

void FakeServer::accept_all() {
  while (true) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      return;
    }
    base::MutexLock lock(mutex_);
    sockets_.push_back(fd);
    if (stopping_) {
      shutdown(fd, SHUT_RDWR);
    }
    connections_.emplace_back("fake-conn", base::kDefaultStackBytes, [this, fd] { serve(fd); });
  }
}

void FakeServer::serve(int fd) {
  std::string buffer;
  while (auto request = read_request(fd, buffer)) {
    {
      base::MutexLock lock(mutex_);
      requests_.push_back(*request);
    }
    Reply reply(fd);
    handler_(*request, reply);
    if (reply.is_cut()) {
      break;
    }
  }
  // The descriptor is closed later, so that its number is not reused meanwhile.
  shutdown(fd, SHUT_RDWR);
}

std::vector<SeenRequest> FakeServer::requests() const {
  base::MutexLock lock(mutex_);
  return requests_;
}

size_t FakeServer::connections() const {
  base::MutexLock lock(mutex_);
  return connections_.size();
}

}  // namespace chartwright::fakeapi
