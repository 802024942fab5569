// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/tls_identity.h"

namespace chartwright::runtime {

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};
/// The parts of a request that a handler receives.
struct HttpRequest {
  std::string method;         ///< "GET" or "HEAD".
  std::string path;           ///< Without the query.
  std::string authorization;  ///< The Authorization header's value; empty without one.
};
/// Answers GET (and HEAD) of one path. Called on the server's only thread, so other requests wait
/// until it returns.
using HttpHandler = std::function<HttpReply(const HttpRequest& request)>;

/// A small HTTP/1.1 server for probes and metrics. It has one thread and limits the number of
/// connections, the header size and the time per request. A new connection is always served: if
/// there are too many, the one of least use ends (connection_table.h). Other methods get 405, other
/// paths 404.
class HttpServer {
 public:
  /// Listens on `address` ("host:port", ":port", "[::1]:0"; port 0 picks a free one) and serves
  /// `routes` (exact path → handler) until destroyed.
  /// Errors: kInvalidArgument (malformed address), kUnavailable (cannot listen there).
  static base::Result<std::unique_ptr<HttpServer>> start(
      const std::string& address, const std::map<std::string, HttpHandler>& routes);
  /// Like start, but over TLS 1.2 or later. Additional error: kInvalidArgument (unusable
  /// `identity`).
  static base::Result<std::unique_ptr<HttpServer>> start_tls(
      const std::string& address, const std::map<std::string, HttpHandler>& routes,
      const TlsIdentity& identity);
  virtual ~HttpServer() = default;
  /// The port that the server listens on.
  virtual uint16_t port() const = 0;
};

}  // namespace chartwright::runtime
