// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace chartwright::runtime {

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};
/// Answers GET (and HEAD) of one path. Called on the server's thread; must be quick.
using HttpHandler = std::function<HttpReply()>;

/// A small HTTP/1.1 server for probes and metrics: one thread, a bounded number of connections,
/// bounded header size and time per request. Other methods get 405, other paths 404.
class HttpServer {
 public:
  /// Listens on `address` ("host:port", ":port", "[::1]:0"; port 0 takes a free one) and serves
  /// `routes` (exact path → handler) until destroyed.
  /// Errors: kInvalidArgument (unreadable address), kUnavailable (cannot listen there).
  static base::Result<std::unique_ptr<HttpServer>> start(const std::string& address,
                                                         std::map<std::string, HttpHandler> routes);
  virtual ~HttpServer() = default;
  /// The port listened on.
  virtual uint16_t port() const = 0;
};

}  // namespace chartwright::runtime
