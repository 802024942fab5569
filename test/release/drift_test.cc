// SPDX-License-Identifier: Apache-2.0
#include "release/drift.h"

#include <catch2/catch.hpp>
#include <map>
#include <utility>

#include "fields/projection.h"
#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;

/// One child that was applied with data.k = "1", and the policies for its drift.
struct DriftingWorld {
  explicit DriftingWorld(DriftPolicy by_rule = DriftPolicy::kRepair) {
    rules[0].drift = by_rule;
    desired.push_back(CW_MUST(make_desired(
        json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1"}})"),
        Role::kChild, kube::Scope::kNamespaced, {owner, "shop", testing::kBookstore, rules})));
    is_now("1");
    entry().desired = desired[0].digest;
    entry().observed = std::string(live->projection(owner));
    entry().resource_version = "10";
  }

  std::vector<ChildRule> rules = std::vector<ChildRule>(1);
  Owner owner = testing::book_owner();
  std::vector<Desired> desired;
  Inventory inventory;
  std::optional<Observed> live;
  std::optional<DriftPolicy> asked;

  InventoryEntry& entry() { return inventory[testing::config_map("a")]; }
  void is_now(const std::string& k) {
    live = testing::observed(testing::live_config_map("a", k), KeepBody::kNo);
  }
  PlanInput input() const {
    return {desired,
            inventory,
            owner,
            Adoption::kRefuse,
            [this](const kube::ObjectRef&) { return live; },
            [](const kube::ObjectRef&) { return std::string("100"); },
            {},
            asked};
  }
  Step step(Occasion occasion = Occasion::kRestore) const {
    Plan plan = make_plan(input());
    REQUIRE(plan.size() == 1);
    hold_drift(input(), occasion, plan);
    return plan[0];
  }
  /// Records a step that makes no call, as an Executor does.
  void note(const Step& held) { entry().drift = held.drift; }
  bool is_in_sync() const {
    return in_sync(testing::config_map("a"), inventory.begin()->second, input());
  }
};

TEST_CASE("Drift is repaired unless a policy says otherwise") {
  DriftingWorld world;
  world.is_now("2");
  CHECK(world.step().action == Action::kApply);
  CHECK(world.step().reason == Reason::kDrifted);
  CHECK_FALSE(world.is_in_sync());
}

TEST_CASE("A change that is to be told is compared once, and stays") {
  DriftingWorld world(DriftPolicy::kWarn);
  world.is_now("2");
  const Step held = world.step();
  CHECK(held.action == Action::kNone);
  CHECK(held.reason == Reason::kDriftKept);
  CHECK(held.compares);
  CHECK_FALSE(world.is_in_sync());
  world.note(held);
  CHECK(world.is_in_sync());
  CHECK_FALSE(world.step().compares);
}

TEST_CASE("A change that is to be ignored is not compared") {
  DriftingWorld world(DriftPolicy::kIgnore);
  world.is_now("2");
  const Step held = world.step();
  CHECK(held.reason == Reason::kDriftIgnored);
  CHECK_FALSE(held.compares);
  world.note(held);
  CHECK(world.is_in_sync());
}

TEST_CASE("A child that others have deleted stays deleted") {
  DriftingWorld world(GENERATE(DriftPolicy::kWarn, DriftPolicy::kIgnore));
  world.live.reset();
  const Step held = world.step();
  CHECK(held.action == Action::kNone);
  CHECK_FALSE(held.compares);
  CHECK(held.drift.change ==
        (world.rules[0].drift == DriftPolicy::kWarn ? kDeletedByOthers : std::string_view()));
  world.note(held);
  CHECK(world.is_in_sync());
}

TEST_CASE("The custom resource's policy counts more than the rule, in force and when it goes") {
  DriftingWorld world(DriftPolicy::kRepair);
  world.asked = DriftPolicy::kWarn;
  world.is_now("2");
  world.note(world.step());
  CHECK(world.is_in_sync());
  world.asked.reset();
  CHECK_FALSE(world.is_in_sync());
  CHECK(world.step().action == Action::kApply);
  world.rules[0].drift = DriftPolicy::kIgnore;
  world.asked = DriftPolicy::kRepair;
  CHECK(world.step().action == Action::kApply);
}

TEST_CASE("A child that changes again is looked at again, and so is one of another process") {
  DriftingWorld world(DriftPolicy::kWarn);
  world.is_now("2");
  world.note(world.step());
  value::Value changed = testing::live_config_map("a", "3");
  changed.find("metadata")->mutable_dict().set("resourceVersion", value::Value::string("11"));
  SECTION("the next change") { world.live = testing::observed(changed, KeepBody::kNo); }
  SECTION("after a restart") {
    world.entry().drift.version.clear();
    world.entry().drift.change = "data.k: 2 instead of 1";
  }
  CHECK_FALSE(world.is_in_sync());
  CHECK(world.step().compares);
}

TEST_CASE("A change of the chart is applied over drift, and over a deletion") {
  DriftingWorld world(DriftPolicy::kWarn);
  world.entry().desired = "another digest";
  world.is_now("2");
  CHECK(world.step(Occasion::kRollout).action == Action::kApply);
  world.live.reset();
  CHECK(world.step(Occasion::kRollout).action == Action::kCreate);
}

TEST_CASE("A child that was never applied, or that we deleted, is not drift") {
  DriftingWorld world(DriftPolicy::kWarn);
  world.live.reset();
  SECTION("only announced") { world.entry() = {}; }
  SECTION("deleted to be replaced") { world.entry().deleted_uid = "u"; }
  SECTION("named by an unsigned status") { world.entry().unverified = true; }
  CHECK(world.step().action == Action::kCreate);
}

TEST_CASE("A child that is applied again for another cause than drift is applied") {
  DriftingWorld world(DriftPolicy::kWarn);
  world.entry().observed.clear();  // As retry_left_out does.
  CHECK(world.step().action == Action::kApply);
}

TEST_CASE("A Secret whose digest is not known any more is compared, not applied") {
  DriftingWorld world(DriftPolicy::kWarn);
  const kube::ObjectRef ref{{"", "v1", "Secret"}, "shop", "a"};
  world.desired[0] = CW_MUST(make_desired(
      json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"k":"MQ=="}})"),
      Role::kChild, kube::Scope::kNamespaced,
      {world.owner, "shop", testing::kBookstore, world.rules}));
  world.inventory.clear();
  world.inventory[ref] = {};
  CHECK(world.step().compares);
  CHECK(world.step(Occasion::kRollout).action == Action::kApply);
}

TEST_CASE("The change of a child survives in the status, what was seen of it does not") {
  InventoryEntry entry;
  entry.drift.change = "data.k: 2 instead of 1";
  entry.drift.version = "12";
  const auto item = to_status(testing::config_map("a"), entry);
  const Inventory read = inventory_from_status(value::Value::list({item}));
  REQUIRE(read.size() == 1);
  CHECK(read.begin()->second.drift.change == "data.k: 2 instead of 1");
  CHECK(read.begin()->second.drift.version.empty());
}

TEST_CASE("Drift that is ignored stays so after a restart, as long as nobody asks otherwise") {
  DriftingWorld world(DriftPolicy::kIgnore);
  if (GENERATE(true, false)) {
    world.asked = DriftPolicy::kIgnore;
  }
  world.is_now("2");
  world.note(world.step());
  const auto item = to_status(testing::config_map("a"), world.entry());
  world.inventory = inventory_from_status(value::Value::list({item}));
  CHECK(world.is_in_sync());
  world.asked = world.asked ? std::nullopt : std::optional(DriftPolicy::kRepair);
  CHECK_FALSE(world.is_in_sync());
}

}  // namespace
}  // namespace chartwright::release
