// SPDX-License-Identifier: Apache-2.0
#include "release/names.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "fields/projection.h"
#include "test/release/objects.h"

namespace chartwright::release {
namespace {

/// A release of slots, and the cluster around it.
struct Slots {
  std::vector<ChildRule> rules;
  Inventory inventory;
  std::map<kube::ObjectRef, Observed> live;
  std::string seen = "100";
  Owner owner = testing::book_owner();

  Desired rendered(const std::string& slot, const std::string& k = "1",
                   const std::string& prefix = "web-") const {
    value::Value object = testing::live_config_map(slot, k);
    object.find("metadata")
        ->mutable_dict()
        .set("annotations",
             value::Value::dict({{kGenerateNameAnnotation, value::Value::string(prefix)}}));
    return CW_MUST(make_desired(object, Role::kChild, kube::Scope::kNamespaced,
                                {owner, "shop", testing::kBookstore, rules}));
  }
  std::vector<Desired> name(std::vector<Desired> desired) const {
    const std::vector<Desired> none;
    return with_live_names(std::move(desired),
                           {none, inventory, owner, Adoption::kRefuse,
                            [this](const kube::ObjectRef& ref) -> std::optional<Observed> {
                              auto it = live.find(ref);
                              return it == live.end() ? std::nullopt : std::optional(it->second);
                            },
                            [this](const kube::ObjectRef&) { return seen; }});
  }
  Desired name_one(const std::string& slot, const std::string& k = "1") const {
    return name({rendered(slot, k)}).front();
  }
  InventoryEntry& announce(const Desired& one) {
    InventoryEntry& entry = inventory[one.ref];
    entry.slot = one.slot;
    entry.serial = one.serial;
    return entry;
  }
  /// The object was applied and is there.
  Desired run(const Desired& one) {
    InventoryEntry& entry = announce(one);
    entry.desired = one.digest;
    entry.resource_version = "10";
    live.insert_or_assign(one.ref, testing::observed(testing::live_config_map(one.ref.name, "1")));
    return one;
  }
  void terminate(const Desired& one) {
    value::Value object = testing::live_config_map(one.ref.name, "1");
    object.find("metadata")
        ->mutable_dict()
        .set("deletionTimestamp", value::Value::string("2026-01-01T00:00:00Z"));
    live.insert_or_assign(one.ref, testing::observed(object));
  }
};

TEST_CASE("A live name is the prefix and five characters") {
  Slots world;
  const Desired one = world.name_one("web-0");
  CHECK(one.slot == "web-0");
  CHECK(one.ref.name.size() == std::string("web-").size() + 5);
  CHECK(one.ref.name.starts_with("web-"));
  CHECK(one.ref.name != "web-0");
  CHECK(kube::name_of(one.body) == one.ref.name);
  CHECK(kube::annotation_of(one.body, kSlotAnnotation) == "web-0");
  CHECK(one.digest == fields::desired_digest(one.body));
  CHECK(world.name_one("web-0").ref.name == one.ref.name);
}

TEST_CASE("Names differ by slot, owner and number, and fit a label") {
  const Owner owner = testing::book_owner();
  Owner other = owner;
  other.uid = "uid-other";
  const kube::ObjectRef a = testing::config_map("a");
  const kube::ObjectRef b = testing::config_map("b");
  const std::set<std::string> names = {live_name("x", owner, a, 0), live_name("x", owner, a, 1),
                                       live_name("x", owner, b, 0), live_name("x", other, a, 0)};
  CHECK(names.size() == 4);
  CHECK(live_name(std::string(100, 'x'), owner, a, 0).size() == 63);
}

TEST_CASE("A slot that the status lost is that of the live object") {
  Slots world;
  const Desired one = world.run(world.name_one("web-0"));
  value::Value object = testing::live_config_map(one.ref.name, "1");
  object.find("metadata")
      ->mutable_dict()
      .set("annotations", value::Value::dict({{kSlotAnnotation, value::Value::string("web-0")}}));
  world.live.insert_or_assign(one.ref, testing::observed(object));
  InventoryEntry& entry = world.inventory.at(one.ref);
  entry.slot.clear();
  entry.serial = 0;
  CHECK(world.name_one("web-0").ref == one.ref);
  world.terminate(one);
  CHECK(world.name_one("web-0").ref != one.ref);
}

TEST_CASE("An object without the annotation keeps its name") {
  Slots world;
  const Desired plain = CW_MUST(
      make_desired(testing::live_config_map("a", "1"), Role::kChild, kube::Scope::kNamespaced,
                   {world.owner, "shop", testing::kBookstore, world.rules}));
  const auto named = world.name({plain, world.rendered("web-0")});
  CHECK(named[0].ref.name == "a");
  CHECK(named[0].slot.empty());
  CHECK(named[0].digest == plain.digest);
  CHECK(named[1].ref.name != "web-0");
}

TEST_CASE("An annotation that is not a prefix is refused") {
  Slots world;
  for (const std::string prefix : {"", "a/b", ".."}) {
    INFO(prefix);
    value::Value object = testing::live_config_map("a", "1");
    object.find("metadata")
        ->mutable_dict()
        .set("annotations",
             value::Value::dict({{kGenerateNameAnnotation, value::Value::string(prefix)}}));
    const auto made = make_desired(object, Role::kChild, kube::Scope::kNamespaced,
                                   {world.owner, "shop", testing::kBookstore, world.rules});
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().to_string() ==
          "ConfigMap shop/a: the annotation chartwright.io/generate-name is \"" + prefix +
              "\" (the beginning of a name is needed, such as \"web-\")");
  }
}

TEST_CASE("An occupant that is there keeps its name, also with other content") {
  Slots world;
  const Desired one = world.run(world.name_one("web-0"));
  CHECK(world.name_one("web-0").ref == one.ref);
  CHECK(world.name_one("web-0", "2").ref == one.ref);
}

TEST_CASE("A name that was announced is used after a crash") {
  Slots world;
  const Desired first = world.run(world.name_one("web-0"));
  world.terminate(first);
  const Desired second = world.name_one("web-0");
  world.announce(second);
  SECTION("before the creation") {}
  SECTION("after the creation") {
    world.live.insert_or_assign(second.ref,
                                testing::observed(testing::live_config_map(second.ref.name, "1")));
  }
  CHECK(world.name_one("web-0").ref == second.ref);
  CHECK(second.ref != first.ref);
}

TEST_CASE("The slot of an occupant that ends or is gone goes to the next name") {
  Slots world;
  const Desired first = world.run(world.name_one("web-0"));
  SECTION("terminating") { world.terminate(first); }
  SECTION("gone") { world.live.clear(); }
  SECTION("not counted by its rule") {
    const Observed live = world.live.at(first.ref);
    world.live.insert_or_assign(first.ref, live.judged({.present = false, .ready = {}}));
  }
  const Desired second = world.name_one("web-0");
  CHECK(second.ref != first.ref);
  CHECK(second.serial == first.serial + 1);
  world.run(second);
  world.terminate(second);
  CHECK(world.name_one("web-0").serial == second.serial + 1);
}

TEST_CASE("A cache that is behind does not show that an occupant is gone") {
  Slots world;
  const Desired first = world.run(world.name_one("web-0"));
  world.live.clear();
  world.seen = "9";
  CHECK(world.name_one("web-0").ref == first.ref);
}

TEST_CASE("An occupant that ends between naming and planning is not created again") {
  Slots world;
  const Desired first = world.run(world.name_one("web-0"));
  const std::vector<Desired> desired = {world.name_one("web-0")};
  REQUIRE(desired[0].ref == first.ref);
  const Plan plan = make_plan({desired, world.inventory, world.owner, Adoption::kRefuse,
                               [](const kube::ObjectRef&) { return std::optional<Observed>(); },
                               [&world](const kube::ObjectRef&) { return world.seen; }});
  REQUIRE(plan.size() == 1);
  CHECK(plan[0].action == Action::kWait);
  CHECK(plan[0].reason == Reason::kTerminating);
}

TEST_CASE("A name that is still terminating is skipped, though nothing records it") {
  Slots world;
  const Desired first = world.name_one("web-0");
  world.terminate(first);
  CHECK(world.name_one("web-0").serial == first.serial + 1);
}

TEST_CASE("With the rule recreate, changed content goes to the next name") {
  Slots world;
  world.rules.resize(1);
  world.rules[0].update = Update::kRecreate;
  const Desired first = world.run(world.name_one("web-0"));
  CHECK(world.name_one("web-0").ref == first.ref);
  const Desired second = world.name_one("web-0", "2");
  CHECK(second.ref != first.ref);
  SECTION("until the change is withdrawn") {
    world.announce(second);
    CHECK(world.name_one("web-0").ref == first.ref);
  }
  SECTION("also while the first is still there") {
    world.run(second);
    CHECK(world.name_one("web-0", "2").ref == second.ref);
  }
}

TEST_CASE("A child that had its rendered name keeps it when the annotation is added") {
  Slots world;
  InventoryEntry& entry = world.inventory[testing::config_map("web-0")];
  entry.desired = "before";
  world.live.insert_or_assign(testing::config_map("web-0"),
                              testing::observed(testing::live_config_map("web-0", "1")));
  CHECK(world.name_one("web-0").ref.name == "web-0");
}

TEST_CASE("A slot that is rendered twice has one occupant") {
  Slots world;
  const auto named = world.name({world.rendered("web-0"), world.rendered("web-0", "2")});
  CHECK(named[0].ref == named[1].ref);
}

TEST_CASE("The predecessor of an occupant is pruned unless it ends anyway") {
  Slots world;
  world.rules.resize(1);
  world.rules[0].update = Update::kRecreate;
  const Desired first = world.run(world.name_one("web-0"));
  const std::vector<Desired> desired = {world.name_one("web-0", "2")};
  const auto plan = [&] {
    return make_plan({desired, world.inventory, world.owner, Adoption::kRefuse,
                      [&](const kube::ObjectRef& ref) -> std::optional<Observed> {
                        auto it = world.live.find(ref);
                        return it == world.live.end() ? std::nullopt : std::optional(it->second);
                      },
                      [](const kube::ObjectRef&) { return std::string("100"); }});
  };
  REQUIRE(plan().size() == 2);
  CHECK(plan()[0].action == Action::kCreate);
  CHECK(plan()[1].ref == first.ref);
  CHECK(plan()[1].action == Action::kPrune);
  world.terminate(first);
  CHECK(plan()[1].action == Action::kForget);
}

TEST_CASE("An occupant that ends is not in sync, because its successor does not wait") {
  Slots world;
  const Desired first = world.run(world.name_one("web-0"));
  world.terminate(first);
  const std::vector<Desired> none;
  const PlanInput input{
      none,
      world.inventory,
      world.owner,
      Adoption::kRefuse,
      [&](const kube::ObjectRef& ref) -> std::optional<Observed> { return world.live.at(ref); },
      [](const kube::ObjectRef&) { return std::string("100"); }};
  CHECK_FALSE(in_sync(first.ref, world.inventory.at(first.ref), input));
  InventoryEntry fixed = world.inventory.at(first.ref);
  fixed.slot.clear();
  CHECK(in_sync(first.ref, fixed, input));
}

}  // namespace
}  // namespace chartwright::release
