// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "bundle/watch.h"
#include "kube/client.h"
#include "kube/transport.h"
#include "kubeconfig/config.h"
#include "process/master_key.h"
#include "process/reload.h"

namespace chartwright::process {

/// The default of OperatorOptions::metrics_per_cr_max.
inline constexpr size_t kMetricsPerCrMax = 5000;

/// Makes the connection to the API server.
using MakeTransport =
    std::function<base::Result<std::unique_ptr<kube::Transport>>(kube::TransportOptions)>;

/// Settings of `chartwright run`; the flags of helm-operator and their defaults.
struct OperatorOptions {
  kube::Config api_server;
  MakeTransport make_transport;         ///< For a server in this process; empty: over HTTP.
  std::vector<std::string> namespaces;  ///< From WATCH_NAMESPACE; empty: all.
  base::Duration reconcile_period = std::chrono::minutes(1);
  int max_concurrent_reconciles = 1;
  std::string metrics_address = ":8080";  ///< "0" turns it off.
  bool metrics_secure = false;            ///< Serve metrics over HTTPS.
  bool metrics_require_rbac = false;  ///< Only for those who may `get` it; needs metrics_secure.
  std::string metrics_certificates;   ///< Folder of tls.crt and tls.key, if they exist.
  /// With more custom resources, none has series of its own (CrMetrics).
  size_t metrics_per_cr_max = kMetricsPerCrMax;
  std::string health_address = ":8081";
  bool leader_elect = false;
  std::string leader_election_id;
  std::string leader_election_namespace;
  int history_max = 10;
  bool suppress_override_values = false;  ///< Events show **** for them.
  std::string state_dir;                ///< A folder that survives the process; "": there is none.
  std::optional<size_t> render_memory;  ///< Bytes of one render; default: as the machine allows.
  std::string own_namespace;            ///< Holds the releases of cluster-scoped custom resources.
  KeyPlace key_place;
  base::Duration trusts_unsigned_for{};  ///< After the start: see op::Takeover::trust_history.
  /// Runs once, on a thread of its own, when the API server answers; empty: nothing does. It must
  /// end soon after a stop is requested.
  std::function<void(kube::Client&, const std::stop_token&)> preflight;
  /// Where changed inputs come from; empty: they are not looked for.
  std::optional<Reload::Source> reload;
  /// Gets changed inputs, once their charts were tried for all custom resources. Called at most
  /// once, on another thread, before run_operator returns.
  std::function<void(OperatorInputs)> on_reload;
};

/// Runs the operator until `stop` is requested, then drains: no new work begins, running reconciles
/// end, and the lease is released last. Waits for an API server that is not reachable yet. Errors:
/// kInvalidArgument (unusable configuration), kUnavailable (an address is taken), kTimeout or
/// kConflict (leadership was lost).
base::Status run_operator(const OperatorOptions& options, const std::vector<bundle::Watch>& watches,
                          base::Clock& clock, const base::Logger& log, std::stop_token stop);

}  // namespace chartwright::process
