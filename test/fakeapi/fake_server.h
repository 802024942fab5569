// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"

namespace chartwright::fakeapi {

/// A request as received; header names are in lower case.
struct SeenRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;
  std::string body;
};

/// The answer to one request, sent step by step so that a test can inject a fault between any two
/// steps.
class Reply {
 public:
  explicit Reply(int fd) : fd_(fd) {}
  /// Sends a whole response.
  void send(int status, std::string_view body,
            const std::map<std::string, std::string>& headers = {});
  /// Begins a response whose body follows in chunks.
  void begin(int status);
  void chunk(std::string_view text);
  /// Ends the body, with the given trailer lines.
  void end(std::string_view trailer = {});
  /// Cuts the connection in the middle of the response.
  void cut();
  /// Sends nothing more; blocks until the client is gone or the server is destroyed.
  void hold();
  bool is_cut() const { return cut_; }

 private:
  void write(std::string_view bytes);
  const int fd_;
  bool cut_ = false;
};

/// An HTTP/1.1 server on loopback with one thread per connection. It is for the timing of faults
/// and never proves how an API server behaves. Thread-safe.
class FakeServer {
 public:
  using Handler = std::function<void(const SeenRequest& request, Reply& reply)>;
  /// `handler` runs on the connection's thread.
  explicit FakeServer(Handler handler);
  ~FakeServer();

  /// Returns "http://127.0.0.1:port".
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<SeenRequest> requests() const CW_EXCLUDES(mutex_);
  size_t connections() const CW_EXCLUDES(mutex_);

 private:
  void accept_all();
  void serve(int fd);

  const Handler handler_;
  int listener_ = -1;
  uint16_t port_ = 0;
  mutable base::Mutex mutex_;
  std::vector<SeenRequest> requests_ CW_GUARDED_BY(mutex_);
  std::vector<int> sockets_ CW_GUARDED_BY(mutex_);
  std::vector<base::Thread> connections_ CW_GUARDED_BY(mutex_);
  bool stopping_ CW_GUARDED_BY(mutex_) = false;
  base::Thread acceptor_;
};

}  // namespace chartwright::fakeapi
