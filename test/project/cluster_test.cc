// SPDX-License-Identifier: Apache-2.0
#include "project/cluster.h"

#include <catch2/catch.hpp>

namespace chartwright::cmd {

TEST_CASE("A server that does not answer is unreachable") {
  ClusterFlags flags;
  flags.api_server = "http://127.0.0.1:1";
  auto cluster = Cluster::open(flags);
  REQUIRE(cluster.ok());
  const auto status = (*cluster)->check_reachable();
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message().starts_with("Kubernetes cluster unreachable: "));
  flags.kubeconfig = "/nope";
  CHECK(Cluster::open(flags).error().message() ==
        "Kubernetes cluster unreachable: open /nope: no such file or directory");
}

}  // namespace chartwright::cmd
