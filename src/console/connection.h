// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/cluster_flags.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "kube/transport.h"

namespace chartwright::cmd {

/// The cluster, and the namespaces in it, that a person looks at: as for kubectl.
struct PlaceFlags {
  ClusterFlags cluster;
  std::string ns;
  bool all_namespaces = false;
};

/// Declares --kubeconfig, --context, --namespace, --all-namespaces and the other flags of a
/// cluster.
void declare_place_flags(FlagSet& flags, PlaceFlags& into);

/// An API server with the rights of the caller. Not thread-safe; its methods block.
class Connection {
 public:
  /// Does not connect yet. `call` limits each request. Errors: those of cluster_config and
  /// kube::make_transport.
  static base::Result<std::unique_ptr<Connection>> open(const PlaceFlags& flags,
                                                        kube::Call call = {});

  kube::Transport& transport() { return *transport_; }
  kube::Client& client() { return client_; }
  kube::RestMapper& mapper() { return mapper_; }
  const kube::Call& call() const { return call_; }
  base::Clock& clock() { return *clock_; }
  /// Blocks for a while.
  void pause(base::Duration duration);
  /// Returns the namespace to look at; "" for all.
  const std::string& ns() const { return ns_; }

 private:
  Connection(std::unique_ptr<base::SystemClock> clock, std::unique_ptr<kube::Transport> transport,
             kube::Call call, std::string ns);

  std::unique_ptr<base::SystemClock> clock_;
  std::unique_ptr<kube::Transport> transport_;
  const kube::Call call_;
  kube::RestMapper mapper_;
  kube::HttpClient client_;
  const std::string ns_;
};

}  // namespace chartwright::cmd
