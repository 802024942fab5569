// SPDX-License-Identifier: Apache-2.0
#include "operator/estranged.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::World;
using value::Value;

/// A release of an operator that selects the custom resources of one tier, with a child in another
/// namespace, which garbage collection does not reach.
struct Divided : World {
  Divided() {
    watch.label_selector = "tier=a";
    spec(R"({"raw":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far, namespace: other}\n"})");
    tier("a");
    converge();
    REQUIRE(far());
    REQUIRE(is_held());
  }
  bool far() const { return api.find({{"", "v1", "ConfigMap"}, "other", "far"}).has_value(); }
  bool is_held() const {
    const std::vector<std::string> finalizers = kube::finalizers_of(cr());
    return std::ranges::any_of(finalizers, is_uninstall_finalizer);
  }
  /// Another operator says that it has looked after the custom resource.
  void set_selected_by(std::optional<std::string> selector) {
    const Value object = value::deep_copy(cr());
    value::Dict& status = object.find("status")->mutable_dict();
    status.erase(kSelectedBy);
    if (selector) {
      status.set(kSelectedBy, Value::string(*selector));
    }
    api.put(object);
  }
  /// Enough time for the uninstall, if it is to come.
  void settle() {
    for (int i = 0; i < 5; ++i) {
      clock.advance(std::chrono::seconds(10));
      converge();
    }
  }
};

TEST_CASE("A custom resource that has lost its label and is deleted is uninstalled") {
  Divided world;
  SECTION("the label first") {
    world.tier(std::nullopt);
    world.converge();
    world.api.begin_deletion(world.ref());
  }
  SECTION("the deletion first") {
    world.api.begin_deletion(world.ref());
    world.tier(std::nullopt);
  }
  SECTION("while no process runs") {
    world.tier("c");
    world.api.begin_deletion(world.ref());
    world.restart();
  }
  world.settle();
  CHECK_FALSE(world.far());
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("Others have ten seconds to begin with a custom resource that they select now") {
  Divided world;
  world.tier("b");
  world.api.begin_deletion(world.ref());
  const auto outcome = world.reconcile();
  REQUIRE(std::holds_alternative<runtime::RequeueAfter>(outcome));
  CHECK(std::get<runtime::RequeueAfter>(outcome).delay == std::chrono::seconds(10));
  SECTION("they do") { world.set_selected_by("tier=b"); }
  SECTION("nobody has said that it looks after it") { world.set_selected_by(std::nullopt); }
  world.settle();
  CHECK(world.far());
  CHECK(world.is_held());
}

TEST_CASE("A custom resource that has lost its label is not touched while it is not deleted") {
  Divided world;
  world.tier(std::nullopt);
  world.settle();
  CHECK(world.far());
  CHECK(world.is_held());
  CHECK(world.calls().empty());
}

TEST_CASE("A custom resource without the finalizer needs nothing") {
  Divided world;
  world.tier(std::nullopt);
  const Value object = value::deep_copy(world.cr());
  object.find("metadata")
      ->mutable_dict()
      .set("finalizers", value::list_of({std::string("example.com/other")}));
  world.api.put(object);
  world.api.begin_deletion(world.ref());
  world.settle();
  CHECK(world.far());
  CHECK(world.calls().empty());
}

}  // namespace
}  // namespace chartwright::op
