// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_flags.h"

#include "cli/environment.h"

namespace chartwright::cmd {
namespace {

std::string variable_or_empty(const char* name) { return environment(name).value_or(""); }

}  // namespace

void declare_cluster_flags(FlagSet& flags, ClusterFlags& into) {
  into.context = variable_or_empty("HELM_KUBECONTEXT");
  into.token = variable_or_empty("HELM_KUBETOKEN");
  into.api_server = variable_or_empty("HELM_KUBEAPISERVER");
  into.ca_file = variable_or_empty("HELM_KUBECAFILE");
  into.tls_server_name = variable_or_empty("HELM_KUBETLS_SERVER_NAME");
  flags.text(into.kubeconfig, {"kubeconfig", '\0', "path to the kubeconfig file", kTakesFile});
  flags.text(into.context, {.name = "kube-context",
                            .help = "name of the kubeconfig context to use",
                            .takes = kTakesContext,
                            .default_text = "$HELM_KUBECONTEXT"});
  flags.text(into.token, {.name = "kube-token",
                          .help = "bearer token used for authentication",
                          .default_text = "$HELM_KUBETOKEN"});
  flags.text(into.api_server, {.name = "kube-apiserver",
                               .help = "the address and the port for the Kubernetes API server",
                               .default_text = "$HELM_KUBEAPISERVER"});
  flags.text(into.ca_file,
             {.name = "kube-ca-file",
              .help = "the certificate authority file for the Kubernetes API server connection",
              .takes = kTakesFile,
              .default_text = "$HELM_KUBECAFILE"});
  flags.text(into.tls_server_name,
             {.name = "kube-tls-server-name",
              .help = "server name to use for Kubernetes API server certificate validation",
              .default_text = "$HELM_KUBETLS_SERVER_NAME"});
  flags.boolean(into.insecure,
                {"kube-insecure-skip-tls-verify", '\0',
                 "if true, the Kubernetes API server's certificate will not be checked for "
                 "validity"});
}

base::Result<kube::Config> cluster_config(const ClusterFlags& flags) {
  auto loaded =
      kube::load_config({flags.kubeconfig, flags.context}, kube::ConfigEnv::from_process());
  // --kube-apiserver works without a kubeconfig.
  if (!loaded.ok() && (flags.api_server.empty() || !flags.kubeconfig.empty())) {
    return std::move(loaded).error();
  }
  kube::Config config = loaded.ok() ? *std::move(loaded) : kube::Config();
  if (!flags.api_server.empty()) {
    config.server = flags.api_server;
  }
  if (!flags.token.empty()) {
    config.token = flags.token;
    config.token_file.clear();
  }
  if (!flags.ca_file.empty()) {
    config.ca = {"", flags.ca_file};
  }
  if (!flags.tls_server_name.empty()) {
    config.tls_server_name = flags.tls_server_name;
  }
  if (flags.insecure) {
    config.verify = kube::TlsVerify::kSkip;
    config.ca = {};
  }
  return config;
}

std::string release_namespace(const std::string& flag, const ClusterFlags& flags) {
  std::string found = flag.empty() ? variable_or_empty("HELM_NAMESPACE") : flag;
  if (found.empty()) {
    // An unusable kubeconfig is an error only for a command that needs a cluster.
    const auto config =
        kube::load_config({flags.kubeconfig, flags.context}, kube::ConfigEnv::from_process());
    found = config.ok() ? config->ns : "";
  }
  return found.empty() ? "default" : found;
}

}  // namespace chartwright::cmd
