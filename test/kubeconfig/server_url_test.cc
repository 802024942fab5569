// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/server_url.h"

#include <catch2/catch.hpp>

namespace chartwright::kube {
namespace {

TEST_CASE("A server's URL comes apart with its defaults") {
  const ServerUrl full = split_server_url("https://api.example:6443/k8s/c1");
  CHECK(full.scheme == "https");
  CHECK(full.host == "api.example");
  CHECK(full.port == "6443");
  CHECK(full.prefix == "/k8s/c1");
  CHECK(full.host_port() == "api.example:6443");

  CHECK(split_server_url("https://api.example").port == "443");
  CHECK(split_server_url("http://api.example/x").port == "80");
  CHECK(split_server_url("https://[fd00::1]:6443").host == "[fd00::1]");
  CHECK(split_server_url("https://[fd00::1]:6443").port == "6443");
  CHECK(split_server_url("https://[fd00::1]").host_port() == "[fd00::1]:443");
}

}  // namespace
}  // namespace chartwright::kube
