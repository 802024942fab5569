// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/server_url.h"

#include <algorithm>

namespace chartwright::kube {

ServerUrl split_server_url(const std::string& server) {
  ServerUrl parts;
  const size_t scheme_end = server.find("://");
  const size_t authority = scheme_end == std::string::npos ? 0 : scheme_end + 3;
  parts.scheme = scheme_end == std::string::npos ? "https" : server.substr(0, scheme_end);
  const size_t slash = std::min(server.find('/', authority), server.size());
  const std::string host_port = server.substr(authority, slash - authority);
  parts.prefix = server.substr(slash);
  const size_t colon = host_port.rfind(':');
  const size_t bracket = host_port.rfind(']');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  parts.host = has_port ? host_port.substr(0, colon) : host_port;
  const std::string default_port = parts.scheme == "http" ? "80" : "443";
  parts.port = has_port ? host_port.substr(colon + 1) : default_port;
  return parts;
}

}  // namespace chartwright::kube
