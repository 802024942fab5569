// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "kubeconfig/config.h"

namespace chartwright::kube {

/// The output of a credential plugin: a token, a client certificate with its key, or both.
struct ExecCredential {
  std::string token;
  std::string cert;  ///< PEM
  std::string key;   ///< PEM
  std::optional<base::WallTime> expires;
};

/// Checks that the plugin of `config` is installed. Error: kNotFound or kInvalidArgument, with the
/// kubeconfig's hint.
base::Status check_exec_plugin(const ExecPlugin& plugin);

/// Runs the plugin of `config`, without a shell and without a terminal, and returns what it prints.
/// Its standard error is ours, as in client-go. `ca` is the PEM data of the cluster's authority.
/// Errors, none of which quotes what was printed: kUnavailable (it is missing, fails, or prints
/// something else), kTimeout, kCancelled.
/// Source: k8s.io/client-go plugin/pkg/client/auth/exec/exec.go refreshCredsLocked.
base::Result<ExecCredential> run_exec_plugin(const Config& config, const std::string& ca,
                                             const base::Clock& clock, const std::stop_token& stop);

}  // namespace chartwright::kube
