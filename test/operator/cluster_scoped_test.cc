// SPDX-License-Identifier: Apache-2.0
// Cluster-scoped custom resources.
#include <catch2/catch.hpp>

#include "operator/reconcile.h"
#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::World;

kube::ObjectRef role() { return {{"rbac.authorization.k8s.io", "v1", "ClusterRole"}, "", "r"}; }

TEST_CASE("A cluster-scoped custom resource has its release in the operator's namespace") {
  World world;
  world.make_cluster_scoped();
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.color() == "blue");
  CHECK(world.condition("Deployed") == "True InstallSuccessful: Painted blue.");
  const auto map = world.api.find(world.config_map("w"));
  REQUIRE(map);
  CHECK(kube::annotation_of(*map, release::kReleaseNamespaceAnnotation) == "shop");
  CHECK(kube::is_owned_by(*map, kube::uid_of(world.cr())));
  const auto record = world.api.find(world.secret(1));
  REQUIRE(record);
  CHECK(kube::is_owned_by(*record, kube::uid_of(world.cr())));
  // Owner references to a cluster-scoped owner work everywhere, so no finalizer is needed.
  CHECK(kube::finalizers_of(world.cr()).empty());

  SECTION("and is in sync without a request") {
    world.converge();  // Sees the child ready.
    world.converge();
    CHECK(world.calls().empty());
  }
  SECTION("and hears of its children, whose namespace is not its own") {
    world.triggered();
    world.api.erase(world.config_map("w"));
    CHECK(world.triggered() == std::set<std::string>{world.ref().to_string()});
    world.converge();
    CHECK(world.color() == "blue");
  }
  SECTION("and keeps a history, also over a restart") {
    world.spec(R"({"color":"green"})");
    world.converge();
    world.restart();
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.history() == std::vector<std::string>{"3 deployed Rollback to 1",
                                                      "2 superseded Upgrade complete",
                                                      "1 superseded Install complete"});
    CHECK(world.api.find(world.secret(3)));
  }
}

TEST_CASE("A cluster-scoped child of a cluster-scoped custom resource triggers it") {
  World world;
  world.make_cluster_scoped();
  world.spec(R"({"raw":"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n)"
             R"(metadata: {name: r}\n"})");
  world.converge();
  REQUIRE(world.api.find(role()));
  CHECK(kube::is_owned_by(*world.api.find(role()), kube::uid_of(world.cr())));
  world.triggered();
  world.api.erase(role());
  CHECK(world.triggered() == std::set<std::string>{world.ref().to_string()});
}

TEST_CASE("A template may put the objects of a cluster-scoped custom resource anywhere") {
  World world;
  world.make_cluster_scoped();
  world.spec(R"({"raw":"apiVersion: v1\nkind: ConfigMap\n)"
             R"(metadata: {name: far, namespace: elsewhere}\n"})");
  world.converge();
  const kube::ObjectRef far{{"", "v1", "ConfigMap"}, "elsewhere", "far"};
  REQUIRE(world.api.find(far));
  world.triggered();
  world.api.erase(far);
  CHECK(world.triggered() == std::set<std::string>{world.ref().to_string()});
}

TEST_CASE("If the operator's own namespace is not known, the condition says what is missing") {
  World world;
  world.make_cluster_scoped();
  world.release_namespace.clear();
  world.spec(R"({"color":"blue"})");
  const runtime::Failed failed = world.fail();
  CHECK(failed.retry == runtime::Retry::kNever);
  CHECK(world.condition("ReleaseFailed") ==
        "True InstallError: a cluster-scoped custom resource has its revisions, and the objects "
        "whose template names no namespace, in the operator's own: that is not known (set "
        "POD_NAMESPACE), or WATCH_NAMESPACE leaves it out");
  CHECK(world.api.count("ConfigMap") == 0);
}

TEST_CASE("A namespaced custom resource does not need the operator's namespace") {
  World world;
  world.release_namespace.clear();
  world.spec("{}");
  world.converge();
  CHECK(world.exists("w"));
}

}  // namespace
}  // namespace chartwright::op
