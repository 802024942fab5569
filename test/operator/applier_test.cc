// SPDX-License-Identifier: Apache-2.0
#include "operator/applier.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using release::Role;
using testing::Calls;
using testing::json;
using testing::kApply;
using testing::kGet;
using testing::kStatus;
using testing::Painted;
using testing::Parts;
using testing::World;
using value::Value;

Value config_map(const std::string& name) {
  return json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})");
}

TEST_CASE("Children belong to the custom resource, and partial objects do not") {
  World world;
  world.spec("{}");
  Parts parts(world);
  const auto children = CW_MUST(parts.applier.desired_from({config_map("w")}, Role::kChild));
  REQUIRE(children.size() == 1);
  CHECK(children[0].ref == world.config_map("w"));
  CHECK(kube::owner_references_of(children[0].body).size() == 1);
  const auto partial = CW_MUST(parts.applier.desired_from({config_map("w")}, Role::kPartial));
  CHECK(kube::owner_references_of(partial[0].body).empty());
}

TEST_CASE("An empty render is refused while there are children") {
  World world;
  world.spec("{}");
  Parts parts(world);
  CHECK(parts.applier.guard_empty({}).ok());
  parts.state.inventory[world.config_map("theirs")].role = Role::kPartial;
  CHECK(parts.applier.guard_empty({}).ok());
  parts.state.inventory[world.config_map("w")].role = Role::kChild;
  CHECK(parts.applier.guard_empty({}).error().code() == ErrorCode::kInvalidArgument);
  const auto one = CW_MUST(parts.applier.desired_from({config_map("w")}, Role::kChild));
  CHECK(parts.applier.guard_empty(one).ok());
  world.annotate(kAllowEmptyRender, "true");
  Parts allowed(world);
  allowed.state.inventory[world.config_map("w")].role = Role::kChild;
  CHECK(allowed.applier.guard_empty({}).ok());
}

TEST_CASE("Only children that are new are announced") {
  World world;
  world.spec("{}");
  Parts parts(world);
  const auto one = CW_MUST(parts.applier.desired_from({config_map("w")}, Role::kChild));
  world.api.forget_calls();
  CW_MUST(parts.applier.announce(one));
  CHECK(world.calls() == Calls{kStatus});
  CHECK(world.status().find("resources")->as_list().items.size() == 1);
  CW_MUST(parts.applier.announce(one));
  CHECK(world.calls() == Calls{kStatus});
}

TEST_CASE("The API server is asked before anything is created, and not before an update") {
  Painted world;
  Parts parts(world);
  const auto both =
      CW_MUST(parts.applier.desired_from({config_map("w"), config_map("new")}, Role::kChild));
  SECTION("an update") {
    CW_MUST(parts.applier.execute({both[0]}, Role::kChild));
    CHECK(world.calls() == Calls{kApply});
  }
  SECTION("a creation") {
    CW_MUST(parts.applier.execute(both, Role::kChild));
    CHECK(world.calls().front() == kGet);
    CHECK(world.exists("new"));
  }
  SECTION("a creation for a custom resource that is gone") {
    world.api.fail_once(kGet, Error(ErrorCode::kNotFound, "gone"));
    CHECK(parts.applier.execute(both, Role::kChild).error().code() == ErrorCode::kCancelled);
    CHECK(world.calls() == Calls{kGet});
    CHECK(parts.live.gone());
  }
}

TEST_CASE("Each role is pruned by itself") {
  Painted world;
  Parts parts(world);
  const auto other = CW_MUST(parts.applier.desired_from({config_map("new")}, Role::kChild));
  CW_MUST(parts.applier.execute({}, Role::kPartial));
  CHECK(world.exists("w"));
  CW_MUST(parts.applier.execute(other, Role::kChild));
  CHECK_FALSE(world.exists("w"));
  CHECK(parts.state.inventory.size() == 1);
  CHECK(parts.state.inventory.contains(world.config_map("new")));
}

TEST_CASE("Children are in sync until one is changed or deleted") {
  Painted world;
  CHECK(Parts(world).applier.in_sync(Applier::Extent::kAll));
  SECTION("changed") {
    Value child = *world.api.find(world.config_map("w"));
    child.mutable_dict().set("data", json(R"({"color":"edited"})"));
    world.api.put(child);
  }
  SECTION("gone") { world.api.erase(world.config_map("w")); }
  CHECK_FALSE(Parts(world).applier.in_sync(Applier::Extent::kAll));
}

}  // namespace
}  // namespace chartwright::op
