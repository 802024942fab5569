// SPDX-License-Identifier: Apache-2.0
#include "release/repair_observer.h"

#include <catch2/catch.hpp>

#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using value::Value;
using World = testing::ApplyWorld;

const std::string kRepairApply = "apply ConfigMap shop/a";
const std::string kRepairGet = "get ConfigMap shop/a";

TEST_CASE("A repair is handed back with the object before and after it") {
  World world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  std::vector<Repair> repairs;
  const auto carry_out = [&world, &repairs](const Plan& steps) {
    world.api.forget_calls();
    RepairObserver observer(world.api, world.call,
                            [&repairs](const Repair& repair) { repairs.push_back(repair); });
    return Executor(world.api, world.call, world.owner, {world.adoption}, world.log)
        .run(steps, world.inventory, &observer);
  };
  const auto run = [&] { return carry_out(world.plan()); };
  SECTION("in sync: none, and no read") {
    CHECK(run().ok());
    CHECK(repairs.empty());
    CHECK(world.api.calls().empty());
  }
  SECTION("drifted") {
    const Value live = value::deep_copy(*world.api.find(testing::config_map("a")));
    live.find("data")->mutable_dict().set("k", Value::string("2"));
    world.api.put(live);
    CHECK(run().ok());
    REQUIRE(repairs.size() == 1);
    CHECK(repairs[0].reason == Reason::kDrifted);
    CHECK(repairs[0].before.string_at({"data", "k"}) == "2");
    CHECK(repairs[0].after.string_at({"data", "k"}) == "1");
    CHECK(world.api.whats() == std::vector<std::string>{kRepairGet, kRepairApply});
  }
  SECTION("missing") {
    world.api.erase(testing::config_map("a"));
    CHECK(run().ok());
    REQUIRE(repairs.size() == 1);
    CHECK(repairs[0].reason == Reason::kMissing);
    CHECK(repairs[0].before.is_nil());
    CHECK(world.api.whats() == std::vector{kRepairApply});
  }
  SECTION("changed by ourselves: none") {
    world.desired.clear();
    world.want_map("a", "3");
    CHECK(run().ok());
    CHECK(repairs.empty());
    CHECK(world.api.whats() == std::vector{kRepairApply});
  }
  SECTION("not in the caches yet, and there") {
    const Value live = value::deep_copy(*world.api.find(testing::config_map("a")));
    live.find("data")->mutable_dict().set("k", Value::string("2"));
    world.api.erase(testing::config_map("a"));
    const Plan steps = world.plan();
    world.api.put(live);
    CHECK(carry_out(steps).ok());
    REQUIRE(repairs.size() == 1);
    CHECK(repairs[0].reason == Reason::kOrphaned);
    CHECK(repairs[0].before.string_at({"data", "k"}) == "2");
    CHECK(repairs[0].after.string_at({"data", "k"}) == "1");
    CHECK(world.api.whats() == std::vector{kRepairApply, kRepairGet, kRepairApply});
  }
}

}  // namespace
}  // namespace chartwright::release
