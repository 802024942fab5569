// SPDX-License-Identifier: Apache-2.0
#include "generate/resource.h"

#include <catch2/catch.hpp>

namespace chartwright::generate {

TEST_CASE("plurals are those of Kubernetes") {
  CHECK(plural_of("Pod") == "pods");
  CHECK(plural_of("Ingress") == "ingresses");
  CHECK(plural_of("NetworkPolicy") == "networkpolicies");
  CHECK(plural_of("Endpoints") == "endpoints");
  CHECK(plural_of("") == "");
}

TEST_CASE("plurals of own kinds are English") {
  CHECK(own_plural_of("PodSet") == "podsets");
  CHECK(own_plural_of("Gateway") == "gateways");
  CHECK(own_plural_of("Policy") == "policies");
  CHECK(own_plural_of("Box") == "boxes");
  CHECK(own_plural_of("Papers") == "papers");
  CHECK(own_plural_of("Bus") == "buses");
}

TEST_CASE("the scope of built-in kinds is known, that of others is assumed") {
  CHECK(resource_of({"", "Node"}, {}).scope == kube::Scope::kCluster);
  CHECK(resource_of({"apps", "Deployment"}, {}).scope == kube::Scope::kNamespaced);
  CHECK_FALSE(resource_of({"apps", "Deployment"}, {}).guessed);
  CHECK(resource_of({"x.example.com", "Node"}, {}).guessed);
}

TEST_CASE("a kind that a CRD defines has its names and scope") {
  const DefinedKinds defined{{{"x.example.com", "Mouse"}, {"mice", kube::Scope::kCluster, false}}};
  const Resource mouse = resource_of({"x.example.com", "Mouse"}, defined);
  CHECK(mouse.plural == "mice");
  CHECK(mouse.scope == kube::Scope::kCluster);
}

}  // namespace chartwright::generate
