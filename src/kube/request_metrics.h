// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/metrics.h"
#include "kube/transport.h"

namespace chartwright::kube {

/// Counts finished requests as client-go does: rest_client_requests_total{code,method,host}, with
/// code "<error>" where no response came. For TransportOptions::on_finished; `metrics` must outlive
/// the transport. `host` is the server's host:port.
std::function<void(Method method, int status)> count_requests(base::Metrics& metrics,
                                                              std::string host);

/// "host:port" of a server URL, as that label has it.
std::string host_of(const std::string& server);

}  // namespace chartwright::kube
