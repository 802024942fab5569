// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "bundle/capability_reads.h"
#include "cli/cluster_flags.h"
#include "host/cluster_lookup.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "kube/transport.h"

namespace chartwright::cmd {

/// An API server that rendering reads from. Not thread-safe; its methods block.
class Cluster {
 public:
  /// Does not connect yet. Errors: those of cluster_config and kube::make_transport.
  static base::Result<std::unique_ptr<Cluster>> open(const ClusterFlags& flags);

  /// Errors: kUnavailable and others, as "Kubernetes cluster unreachable: ...".
  /// Source: helm/helm v3 pkg/kube/client.go IsReachable.
  base::Status check_reachable();
  /// Returns the version and the API versions of the server. Source: pkg/action/action.go
  /// getCapabilities.
  base::Result<std::shared_ptr<const bundle::CapabilitySet>> capabilities();
  kube::Client& client() { return client_; }
  const kube::Call& call() const { return call_; }
  base::Clock& clock() { return *clock_; }
  /// Returns the reader for the template function `lookup`.
  helm::ClusterReader& reader() { return lookup_; }

 private:
  explicit Cluster(std::unique_ptr<base::SystemClock> clock,
                   std::unique_ptr<kube::Transport> transport);

  std::unique_ptr<base::SystemClock> clock_;
  std::unique_ptr<kube::Transport> transport_;
  const kube::Call call_;
  kube::RestMapper mapper_;
  kube::HttpClient client_;
  host::ClusterLookup lookup_;
};

}  // namespace chartwright::cmd
