// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_flags.h"

#include <catch2/catch.hpp>

#include "test/base/temporary_directory.h"

namespace chartwright::cmd {
namespace {

// Each test writes its own, because tests run in parallel.
std::string write_kubeconfig(const base::TemporaryDirectory& folder) {
  return folder.write("kubeconfig", R"(apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: c, cluster: {server: "https://one:6443", certificate-authority: /ca.crt}}
users:
- {name: u, user: {tokenFile: /token}}
contexts:
- {name: one, context: {cluster: c, user: u, namespace: shop}}
- {name: two, context: {cluster: c, user: u}}
)");
}

}  // namespace

TEST_CASE("Flags about the cluster win over the kubeconfig") {
  const base::TemporaryDirectory folder;
  ClusterFlags flags;
  flags.kubeconfig = write_kubeconfig(folder);
  auto config = cluster_config(flags);
  REQUIRE(config.ok());
  CHECK(config->server == "https://one:6443");
  CHECK(config->token_file == "/token");
  flags.api_server = "https://two:6443";
  flags.token = "t";
  flags.ca_file = "/other.crt";
  flags.tls_server_name = "name";
  config = cluster_config(flags);
  REQUIRE(config.ok());
  CHECK(config->server == "https://two:6443");
  CHECK(config->token == "t");
  CHECK(config->token_file.empty());
  CHECK(config->ca.file == "/other.crt");
  CHECK(config->tls_server_name == "name");
  CHECK(config->verify == kube::TlsVerify::kVerify);
  flags.insecure = true;
  config = cluster_config(flags);
  REQUIRE(config.ok());
  CHECK(config->verify == kube::TlsVerify::kSkip);
  CHECK(config->ca.empty());
}

TEST_CASE("A kubeconfig that is named must be there, whatever other flags say") {
  ClusterFlags flags;
  flags.kubeconfig = "/nope";
  flags.api_server = "https://two:6443";
  CHECK_FALSE(cluster_config(flags).ok());
}

TEST_CASE("A release is in the namespace of the flag, else of the context, else in default") {
  const base::TemporaryDirectory folder;
  ClusterFlags flags;
  flags.kubeconfig = write_kubeconfig(folder);
  CHECK(release_namespace("given", flags) == "given");
  CHECK(release_namespace("", flags) == "shop");
  flags.context = "two";
  CHECK(release_namespace("", flags) == "default");
  flags.kubeconfig = "/nope";
  CHECK(release_namespace("", flags) == "default");
}

}  // namespace chartwright::cmd
