// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kubeconfig/exec_plugin_config.h"

namespace chartwright::kube {

enum class TlsVerify : uint8_t {
  kVerify,
  kSkip,  ///< Only where the kubeconfig says insecure-skip-tls-verify.
};

/// PEM data, inline or in a file, which is re-read because it may be rotated. At most one is set.
struct PemSource {
  std::string data;
  std::string file;
  bool empty() const { return data.empty() && file.empty(); }
};

/// How to reach and authenticate to one API server. Immutable once loaded.
struct Config {
  std::string server;  ///< "https://host:port[/prefix]" without trailing slash; http for tests.
  std::string tls_server_name;
  std::string proxy_url;  ///< For every request, whatever NO_PROXY says; empty: see proxy_for.
  TlsVerify verify = TlsVerify::kVerify;
  PemSource ca;  ///< Empty: the system's trust store.
  PemSource client_cert;
  PemSource client_key;
  std::string token;           ///< Bearer token; `token_file` takes precedence, as in client-go.
  std::string token_file;      ///< Re-read every 60 s and after a 401.
  ExecPlugin exec;             ///< Used if there is neither token nor certificate, as in client-go.
  std::string ns;              ///< The context's namespace, or the pod's; may be empty.
  std::string source;          ///< For logs: "kubeconfig /path (context x)" or "in-cluster".
  bool is_in_cluster = false;  ///< It is that of the pod.
};

/// The parts of the process environment that configuration depends on.
struct ConfigEnv {
  std::string kubeconfig;              ///< $KUBECONFIG, a ':'-separated list.
  std::string home;                    ///< $HOME
  std::string service_host;            ///< $KUBERNETES_SERVICE_HOST
  std::string service_port;            ///< $KUBERNETES_SERVICE_PORT
  std::string path;                    ///< $PATH, for credential plugins.
  std::vector<std::string> variables;  ///< "NAME=value": all variables, for credential plugins.
  /// Where a pod's token, ca.crt and namespace are mounted.
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
  static ConfigEnv from_process();
};

struct ConfigOptions {
  std::string path;     ///< An explicit kubeconfig (a flag); must exist.
  std::string context;  ///< Overrides current-context.
};

/// Finds the configuration where helm-operator does, in this order: explicit path, KUBECONFIG
/// (files merged, first value wins, missing files ignored), in-cluster, $HOME/.kube/config.
/// Errors: kNotFound (no configuration found, or the named file or context is missing), kParse
/// (broken YAML, with file and line), kInvalidArgument (a field is wrong or unsupported: auth
/// provider, basic auth; with file:line:column where known).
/// Source: k8s.io/client-go tools/clientcmd, rest.InClusterConfig.
base::Result<Config> load_config(const ConfigOptions& options, const ConfigEnv& env);

/// Returns the names of the contexts in the kubeconfig that load_config would read, each once; none
/// in a pod. Errors: kNotFound and kParse, as load_config.
base::Result<std::vector<std::string>> context_names(const ConfigOptions& options,
                                                     const ConfigEnv& env);

}  // namespace chartwright::kube
