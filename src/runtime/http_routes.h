// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "runtime/http_message.h"
#include "runtime/http_server.h"
#include "runtime/tls_identity.h"

namespace chartwright::runtime {

/// The handler of each path. Paths are compared exactly, without the query.
using HttpRoutes = std::map<std::string, HttpHandler>;

/// Returns a handler that answers GET and HEAD by the handler of the path. Other methods get 405,
/// other paths 404, as plain text.
HttpHandler route(HttpRoutes routes);

/// Starts a server of probes or metrics: a few connections, and handlers on its one thread. With
/// `identity`, it serves TLS. Errors: those of HttpServer::start, and kInvalidArgument (unusable
/// identity).
base::Result<std::unique_ptr<HttpServer>> serve_routes(
    const std::string& address, HttpRoutes routes,
    const std::optional<TlsIdentity>& identity = std::nullopt);

}  // namespace chartwright::runtime
