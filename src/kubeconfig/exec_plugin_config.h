// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace chartwright::yaml {
struct DocumentNode;
}

namespace chartwright::kube {

/// A program that prints credentials. Source: k8s.io/client-go tools/clientcmd/api ExecConfig.
struct ExecPlugin {
  /// Whether the program is told which cluster it is asked for.
  enum class ClusterInfo : uint8_t { kWithheld, kProvided };
  std::string command;  ///< A path if it has a slash, else looked up in $PATH. Empty: no plugin.
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< "NAME=value": the process's, then the plugin's own.
  std::string search;                    ///< $PATH
  std::string api_version;               ///< "client.authentication.k8s.io/v1" or ".../v1beta1".
  std::string install_hint;              ///< Printable text.
  ClusterInfo cluster_info = ClusterInfo::kWithheld;
  std::string cluster_config;  ///< JSON for the plugin from the cluster's extensions; may be empty.
  base::Duration timeout = std::chrono::minutes(1);
};

/// Reads `exec` of a kubeconfig's user, and what `extensions` of the cluster (may be null) has for
/// the plugin. The command is as written, and the environment has the plugin's own variables alone.
/// Error: kInvalidArgument or kParse with the position; it quotes no argument and no variable.
/// Source: k8s.io/client-go tools/clientcmd validation.go, client_config.go.
base::Result<ExecPlugin> read_exec_plugin(const yaml::DocumentNode& exec,
                                          const yaml::DocumentNode* extensions);

}  // namespace chartwright::kube
