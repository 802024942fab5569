// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cmd/cli.h"
#include "helm/render/capabilities.h"
#include "host/cluster_lookup.h"
#include "kube/client.h"
#include "kube/config.h"
#include "kube/discovery.h"
#include "kube/transport.h"

namespace chartwright::cmd {

/// Which cluster a command talks to, by the names of helm's global flags.
struct ClusterFlags {
  std::string kubeconfig;
  std::string context;
  std::string token;
  std::string api_server;
  std::string ca_file;
  std::string tls_server_name;
  bool insecure = false;
};

/// Declares --kubeconfig and the --kube-... flags; what helm reads from the environment
/// (HELM_KUBE...) becomes their default. Source: helm/helm v3 pkg/cli/environment.go.
void declare_cluster_flags(FlagSet& flags, ClusterFlags& into);

/// The kubeconfig that the flags name, with what they say instead of it. Errors: of
/// kube::load_config.
base::Result<kube::Config> cluster_config(const ClusterFlags& flags);

/// The namespace of a release: what the flag says, else $HELM_NAMESPACE, else that of the current
/// context, else "default". Source: helm/helm v3 pkg/cli/environment.go Namespace.
std::string release_namespace(const std::string& flag, const ClusterFlags& flags);

/// An API server that a render asks. Serves one thread; blocks.
class Cluster {
 public:
  /// Connects to nothing yet. Errors: of cluster_config and kube::make_transport.
  static base::Result<std::unique_ptr<Cluster>> open(const ClusterFlags& flags);

  /// Error: kUnavailable and others, "Kubernetes cluster unreachable: ...".
  /// Source: helm/helm v3 pkg/kube/client.go IsReachable.
  base::Status check_reachable();
  /// Version and API versions of the server. Source: pkg/action/action.go getCapabilities.
  base::Result<helm::Capabilities> capabilities();
  kube::Client& client() { return client_; }
  const kube::Call& call() const { return call_; }
  /// What `lookup` reads.
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
