// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "runtime/http_message.h"
#include "runtime/http_options.h"
#include "runtime/tls_identity.h"

namespace chartwright::runtime {

/// An HTTP/1.1 server, with or without TLS, for probes, metrics and APIs: client certificates,
/// request bodies and streamed responses. One thread serves the network; it or workers answer.
/// Every resource that a client can use is bounded: connections, waiting requests, streams, sizes
/// and times. A stranger, who has shown no certificate of a trusted authority, has tighter bounds.
/// A new connection of a stranger is always served: if there are too many, the one of least use
/// ends (connection_table.h).
class HttpServer {
 public:
  /// Listens and answers with `handler` until destroyed. Errors: kInvalidArgument (malformed
  /// address), kUnavailable (cannot listen there).
  static base::Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options,
                                                         const HttpHandler& handler);
  virtual ~HttpServer() = default;
  /// Shows `identity` to new connections, and trusts client certificates of `authorities` (PEM); if
  /// that is empty, clients are not asked for one. Older connections end after their current
  /// request. Thread-safe. Error: kInvalidArgument (unusable identity or authorities).
  virtual base::Status identify(const TlsIdentity& identity, const std::string& authorities) = 0;
  /// Returns the port that the server listens on.
  virtual uint16_t port() const = 0;
  /// Accepts no more connections, ends all streams, and waits for running requests, at most for
  /// `grace`.
  virtual void drain(base::Duration grace) = 0;
};

}  // namespace chartwright::runtime
