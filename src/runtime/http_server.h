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
/// What a handler may look at.
struct HttpRequest {
  std::string method;         ///< "GET" or "HEAD".
  std::string path;           ///< Without the query.
  std::string authorization;  ///< That header's value; empty without one.
};
/// Answers GET (and HEAD) of one path. Called on the server's thread: while it takes its time,
/// nobody else is answered.
using HttpHandler = std::function<HttpReply(const HttpRequest& request)>;

/// Who an HTTPS server is: PEM texts of a certificate (with its chain) and of its private key.
struct TlsIdentity {
  std::string certificate;
  std::string key;
};

/// A small HTTP/1.1 server for probes and metrics: one thread, a bounded number of connections,
/// bounded header size and time per request. Other methods get 405, other paths 404.
class HttpServer {
 public:
  /// Listens on `address` ("host:port", ":port", "[::1]:0"; port 0 takes a free one) and serves
  /// `routes` (exact path → handler) until destroyed.
  /// Errors: kInvalidArgument (unreadable address), kUnavailable (cannot listen there).
  static base::Result<std::unique_ptr<HttpServer>> start(const std::string& address,
                                                         std::map<std::string, HttpHandler> routes);
  /// The same over TLS 1.2 or later. Further error: kInvalidArgument (unusable `identity`).
  static base::Result<std::unique_ptr<HttpServer>> start_tls(
      const std::string& address, std::map<std::string, HttpHandler> routes,
      const TlsIdentity& identity);
  virtual ~HttpServer() = default;
  /// The port listened on.
  virtual uint16_t port() const = 0;
};

}  // namespace chartwright::runtime
