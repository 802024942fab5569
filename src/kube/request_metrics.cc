// SPDX-License-Identifier: Apache-2.0
#include "kube/request_metrics.h"

#include <utility>

#include "kube/server_url.h"

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

std::string host_of(const std::string& server) { return split_server_url(server).host_port(); }

}  // namespace chartwright::kube
