// SPDX-License-Identifier: Apache-2.0
#include "scenario/kind_table.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::scenario {
namespace {

using value::testing::json;

TEST_CASE("The kinds of Kubernetes are known with their scopes") {
  const KindTable kinds;
  CHECK(CW_MUST(kinds.find("Deployment")).plural == "deployments");
  CHECK(CW_MUST(kinds.find("Event")).gvk.group.empty());
  CHECK(CW_MUST(kinds.find("Event.events.k8s.io")).gvk.group == "events.k8s.io");
  CHECK(CW_MUST(kinds.ref("Deployment/a", "shop")).to_string() == "Deployment.apps shop/a");
  CHECK(CW_MUST(kinds.ref("Deployment/other/a", "shop")).to_string() == "Deployment.apps other/a");
  CHECK(CW_MUST(kinds.ref("ClusterRole/a", "shop")).ns.empty());
  CHECK(short_text(CW_MUST(kinds.ref("Pod/other/a", "shop")), "shop") == "Pod/other/a");
  CHECK(short_text(CW_MUST(kinds.ref("Pod/a", "shop")), "shop") == "Pod/a");
}

TEST_CASE("A name that ends in an asterisk means the objects whose names begin so") {
  const KindTable kinds;
  const auto ref = [&kinds](std::string_view text) { return CW_MUST(kinds.ref(text, "shop")); };
  CHECK(means(ref("Pod/a"), ref("Pod/a")));
  CHECK_FALSE(means(ref("Pod/a"), ref("Pod/ab")));
  CHECK(means(ref("Pod/a*"), ref("Pod/ab")));
  CHECK(means(ref("Pod/a*"), ref("Pod/a")));
  CHECK_FALSE(means(ref("Pod/a*"), ref("Pod/b")));
  CHECK_FALSE(means(ref("Pod/a*"), ref("Pod/other/ab")));
  CHECK_FALSE(means(ref("Pod/a*"), ref("Service/ab")));
}

TEST_CASE("A kind comes with an object of it, or with its CRD") {
  KindTable kinds;
  CHECK_FALSE(kinds.find("Gizmo").ok());
  REQUIRE(kinds.add(json(R"({"apiVersion":"a.example.com/v2","kind":"Gizmo"})")).ok());
  CHECK(CW_MUST(kinds.find("Gizmo")).gvk.version == "v2");
  REQUIRE(kinds
              .add(json(R"({"apiVersion":"apiextensions.k8s.io/v1",
                  "kind":"CustomResourceDefinition","metadata":{"name":"orbs.b.example.com"},
                  "spec":{"group":"b.example.com","scope":"Cluster",
                  "names":{"kind":"Orb","plural":"orbs"},
                  "versions":[{"name":"v1","served":true,"storage":true}]}})"))
              .ok());
  CHECK(CW_MUST(kinds.find("Orb")).scope == kube::Scope::kCluster);
  CHECK_FALSE(kinds
                  .add(json(R"({"apiVersion":"apiextensions.k8s.io/v1",
                      "kind":"CustomResourceDefinition","metadata":{"name":"x"}})"))
                  .ok());
}

}  // namespace
}  // namespace chartwright::scenario
