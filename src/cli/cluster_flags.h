// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "kubeconfig/config.h"

namespace chartwright::cmd {

/// Selects the cluster that a command talks to. Named after helm's global flags.
struct ClusterFlags {
  std::string kubeconfig;
  std::string context;
  std::string token;
  std::string api_server;
  std::string ca_file;
  std::string tls_server_name;
  bool insecure = false;
};

/// For a flag that names a context of the kubeconfig.
inline const Takes kTakesContext{.live = Takes::Live::kContexts};

/// Declares --kubeconfig and the --kube-... flags. The environment variables that helm reads
/// (HELM_KUBE...) give their defaults. Source: helm/helm v3 pkg/cli/environment.go.
void declare_cluster_flags(FlagSet& flags, ClusterFlags& into);

/// Returns the configuration of the kubeconfig that the flags name, overridden by the other flags.
/// Errors: those of kube::load_config.
base::Result<kube::Config> cluster_config(const ClusterFlags& flags);

/// Returns the namespace of a release: that of the flag, else $HELM_NAMESPACE, else that of the
/// current context, else "default". Source: helm/helm v3 pkg/cli/environment.go Namespace.
std::string release_namespace(const std::string& flag, const ClusterFlags& flags);

}  // namespace chartwright::cmd
