// SPDX-License-Identifier: Apache-2.0
#include "kube/request_metrics.h"

#include <utility>

namespace chartwright::kube {

std::function<void(Method method, int status)> count_requests(base::Metrics& metrics,
                                                              std::string host) {
  return [&metrics, host = std::move(host)](Method method, int status) {
    metrics
        .counter({"rest_client_requests_total",
                  "Number of HTTP requests, partitioned by status code, method, and host."},
                 {{"code", status == 0 ? "<error>" : std::to_string(status)},
                  {"host", host},
                  {"method", std::string(to_string(method))}})
        .increment();
  };
}

std::string host_of(const std::string& server) {
  const size_t scheme = server.find("://");
  const size_t authority = scheme == std::string::npos ? 0 : scheme + 3;
  return server.substr(authority, server.find('/', authority) - authority);
}

}  // namespace chartwright::kube
