// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/metrics.h"
#include "kube/transport.h"

namespace chartwright::kube {

/// Returns a callback for TransportOptions::on_finished that counts finished requests as client-go
/// does: rest_client_requests_total{code,method,host}, with code "<error>" if there was no
/// response. `metrics` must outlive the transport. `host` is the server's host:port.
std::function<void(Method method, int status)> count_requests(base::Metrics& metrics,
                                                              std::string host);

/// Returns the "host:port" of a server URL, as in the `host` label.
std::string host_of(const std::string& server);

}  // namespace chartwright::kube
