// SPDX-License-Identifier: Apache-2.0
#include "kube/request_metrics.h"

#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "kubeconfig/server_url.h"

namespace chartwright::kube {

namespace {

/// Looks up each counter only once, because a lookup by labels is a notable part of the cost of a
/// reconcile.
class RequestCounters {
 public:
  RequestCounters(base::Metrics& metrics, std::string host)
      : metrics_(metrics), host_(std::move(host)) {}

  void count(Method method, int status) CW_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    base::Counter*& counter = counters_[{method, status}];
    if (counter == nullptr) {
      counter = &metrics_.counter(
          {"rest_client_requests_total",
           "Number of HTTP requests, partitioned by status code, method, and host."},
          {{"code", status == 0 ? "<error>" : std::to_string(status)},
           {"host", host_},
           {"method", std::string(to_string(method))}});
    }
    counter->increment();
  }

 private:
  base::Metrics& metrics_;
  const std::string host_;
  base::Mutex mutex_;
  std::map<std::pair<Method, int>, base::Counter*> counters_ CW_GUARDED_BY(mutex_);
};

}  // namespace

std::function<void(Method method, int status)> count_requests(base::Metrics& metrics,
                                                              std::string host) {
  auto counters = std::make_shared<RequestCounters>(metrics, std::move(host));
  return [counters](Method method, int status) { counters->count(method, status); };
}

std::string host_of(const std::string& server) { return split_server_url(server).host_port(); }

}  // namespace chartwright::kube
