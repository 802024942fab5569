// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_routes.h"

#include <utility>

namespace chartwright::runtime {

HttpHandler route(HttpRoutes routes) {
  return [routes = std::move(routes)](const HttpRequest& request) {
    if (request.method != "GET" && request.method != "HEAD") {
      return text_reply(405, "method not allowed\n");
    }
    const auto found = routes.find(std::string(request.path()));
    return found == routes.end() ? text_reply(404, "404 page not found\n") : found->second(request);
  };
}

base::Result<std::unique_ptr<HttpServer>> serve_routes(const std::string& address,
                                                       HttpRoutes routes,
                                                       const std::optional<TlsIdentity>& identity) {
  HttpServerOptions options;
  options.address = address;
  options.tls = identity.has_value();
  // Who reads the metrics, and the kubelet, need a few each.
  options.connections_max = 64;
  options.strangers_per_peer_max = 8;
  CW_TRY(auto server, HttpServer::start(options, route(std::move(routes))));
  if (identity) {
    base::Status identified = server->identify(*identity, "");
    if (!identified.ok()) {
      return std::move(identified).error().wrap("listen on " + address);
    }
  }
  return server;
}

}  // namespace chartwright::runtime
