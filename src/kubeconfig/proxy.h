// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace chartwright::kube {

/// The environment variables that name proxies, as Go reads them. ALL_PROXY is not among them.
struct ProxyVariables {
  std::string http_proxy;   ///< http_proxy, or else HTTP_PROXY.
  std::string https_proxy;  ///< https_proxy, or else HTTPS_PROXY.
  std::string no_proxy;     ///< no_proxy, or else NO_PROXY: hosts to reach without a proxy.
  bool is_cgi = false;      ///< REQUEST_METHOD is set: a client may have set HTTP_PROXY.
  static ProxyVariables from_process();
};

/// Returns the URL of the proxy that the variables give for `server`, a URL with a host; empty:
/// none. A server on this machine is reached without one. A proxy that is not a URL is ignored.
/// Error: kInvalidArgument if HTTP_PROXY applies in a CGI program. Thread-safe.
/// Source: golang.org/x/net http/httpproxy proxy.go, without its conversion of Unicode in names.
base::Result<std::string> proxy_for(const std::string& server, const ProxyVariables& variables);

/// Checks the proxy-url of a kubeconfig. Error: kInvalidArgument.
/// Source: k8s.io/client-go tools/clientcmd helpers.go parseProxyURL.
base::Status check_proxy_url(const std::string& proxy);

/// Returns the proxy's URL in the form by which libcurl does what Go does: with Go's default port,
/// and with names resolved by a SOCKS proxy. An empty or broken URL is returned as it is.
std::string proxy_for_curl(const std::string& proxy);

}  // namespace chartwright::kube
