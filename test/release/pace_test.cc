// SPDX-License-Identifier: Apache-2.0
#include "release/pace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "model/memory_server.h"
#include "release/apply.h"
#include "release/names.h"
#include "test/base/manual_clock.h"
#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;
using value::Value;

/// How the children get their names.
enum class Names : uint8_t { kFixed, kGenerated };

/// A server, and a release of numbered ConfigMaps under one rule.
struct PacedWorld {
  explicit PacedWorld(Pace pace, Names kind = Names::kGenerated) : names(kind) {
    rules.resize(1);
    rules[0].update = Update::kRecreate;
    rules[0].pace = pace;
  }

  model::MemoryServer api;
  base::ManualClock clock;
  base::Logger log{{}, clock, [](std::string_view /*line*/) {}};
  kube::Call call;
  Owner owner = testing::book_owner();
  std::vector<ChildRule> rules;
  Inventory inventory;
  Names names;
  int count = 3;
  std::string k = "1";
  std::set<std::string> unready;  ///< Values of data.k that never become ready.
  bool blind = false;             ///< The caches show nothing.

  std::optional<Observed> live(const kube::ObjectRef& ref) const {
    const auto object = blind ? std::nullopt : api.find(ref);
    if (!object) {
      return std::nullopt;
    }
    const bool ready = !unready.contains(std::string(object->string_at({"data", "k"})));
    return testing::observed(*object).judged({.present = true, .ready = ready});
  }
  PlanInput input(const std::vector<Desired>& desired) const {
    return {desired,
            inventory,
            owner,
            Adoption::kRefuse,
            [this](const kube::ObjectRef& ref) { return live(ref); },
            [this](const kube::ObjectRef&) { return std::string(blind ? "1" : "1000000"); }};
  }
  std::vector<Desired> desired() const {
    std::vector<Desired> all;
    for (int i = 0; i < count; ++i) {
      Value object = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}})");
      Value& metadata = *object.mutable_dict().find("metadata");
      metadata.mutable_dict().set("name", Value::string("web-" + std::to_string(i)));
      if (names == Names::kGenerated) {
        metadata.mutable_dict().set("annotations",
                                    json(R"({"chartwright.io/generate-name":"web-"})"));
      }
      object.mutable_dict().set("data", Value::dict({{"k", Value::string(k)}}));
      all.push_back(CW_MUST(make_desired(object, Role::kChild, kube::Scope::kNamespaced,
                                         {owner, "shop", testing::kBookstore, rules})));
    }
    const std::vector<Desired> none;
    return with_live_names(std::move(all), input(none));
  }
  /// One reconcile; returns its writes, as "create:1 delete:1".
  std::string run() {
    const std::vector<Desired> wanted = desired();
    for (const Desired& one : wanted) {
      const auto [item, is_new] = inventory.try_emplace(one.ref);
      item->second.slot = is_new ? one.slot : item->second.slot;
      item->second.serial = is_new ? one.serial : item->second.serial;
    }
    const PlanInput around = input(wanted);
    Plan plan = make_plan(around);
    hold_to_pace(around, rules, plan);
    api.forget_calls();
    const ApplyReport report = Executor(api, call, owner, {}, log).run(plan, inventory);
    REQUIRE(report.ok());
    int writes = 0;
    int deletes = 0;
    for (const std::string& what : api.whats()) {
      writes += what.starts_with("apply") ? 1 : 0;
      deletes += what.starts_with("delete") ? 1 : 0;
    }
    return "write:" + std::to_string(writes) + " delete:" + std::to_string(deletes);
  }
  std::vector<std::string> rounds(int n) {
    std::vector<std::string> all;
    for (int i = 0; i < n; ++i) {
      all.push_back(run());
    }
    return all;
  }
  /// A new process: what the status keeps.
  void restart() {
    std::vector<Value> items;
    for (const auto& [ref, entry] : inventory) {
      items.push_back(to_status(ref, entry));
    }
    inventory = inventory_from_status(Value::list(std::move(items)));
  }
  bool at_rest() const {
    const std::vector<Desired> none;
    const PlanInput around = input(none);
    return std::all_of(inventory.begin(), inventory.end(),
                       [&](const auto& item) { return in_sync(item.first, item.second, around); });
  }
  size_t existing(const std::string& value) const {
    size_t found = 0;
    for (const auto& [ref, entry] : inventory) {
      const auto object = api.find(ref);
      found += object && object->string_at({"data", "k"}) == value ? 1 : 0;
    }
    return found;
  }
  void settle() {
    int rounds = 0;
    do {
      run();
    } while (!at_rest() && ++rounds < 50);
    REQUIRE(at_rest());
  }
};

using Rounds = std::vector<std::string>;
const std::string kNothing = "write:0 delete:0";
const std::string kWrite = "write:1 delete:0";
const std::string kDelete = "write:0 delete:1";

TEST_CASE("Children are created and deleted one at a time") {
  PacedWorld world({1, Until::kObserved});
  CHECK(world.rounds(4) == Rounds{kWrite, kWrite, kWrite, kNothing});
  CHECK(world.at_rest());
  world.count = 0;
  CHECK(world.rounds(4) == Rounds{kDelete, kDelete, kDelete, kNothing});
  CHECK(world.inventory.empty());
}

TEST_CASE("As many as the rule allows go at a time") {
  PacedWorld world({2, Until::kObserved});
  CHECK(world.rounds(3) == Rounds{"write:2 delete:0", kWrite, kNothing});
}

TEST_CASE("Nothing begins until the cache has seen the last write") {
  PacedWorld world({1, Until::kObserved});
  CHECK(world.run() == kWrite);
  world.blind = true;
  CHECK(world.rounds(2) == Rounds{kNothing, kNothing});
  CHECK_FALSE(world.at_rest());
  world.blind = false;
  CHECK(world.run() == kWrite);
}

TEST_CASE("Generated names: each successor comes before its predecessor goes") {
  PacedWorld world({1, Until::kObserved});
  world.settle();
  world.k = "2";
  CHECK(world.rounds(7) == Rounds{kWrite, kDelete, kWrite, kDelete, kWrite, kDelete, kNothing});
  CHECK(world.at_rest());
  CHECK(world.inventory.size() == 3);
  CHECK(world.existing("2") == 3);
}

TEST_CASE("Fixed names: a child is deleted and created before the next one is deleted") {
  PacedWorld world({1, Until::kObserved}, Names::kFixed);
  world.settle();
  world.k = "2";
  CHECK(world.rounds(7) == Rounds{kDelete, kWrite, kDelete, kWrite, kDelete, kWrite, kNothing});
  CHECK(world.existing("2") == 3);
  CHECK(world.at_rest());
}

TEST_CASE("A rollout goes on after a restart") {
  PacedWorld world({1, Until::kObserved});
  world.settle();
  world.k = "2";
  for (int i = 0; i < 7; ++i) {
    world.restart();
    world.run();
  }
  CHECK(world.at_rest());
  CHECK(world.existing("2") == 3);
  CHECK(world.inventory.size() == 3);
}

TEST_CASE("A rollout stops at a child that does not become ready") {
  PacedWorld world({1, Until::kReady});
  world.settle();
  world.k = "2";
  world.unready = {"2"};
  CHECK(world.rounds(3) == Rounds{kWrite, kNothing, kNothing});
  CHECK_FALSE(world.at_rest());
  CHECK(world.existing("1") == 3);
  SECTION("and goes on when it is ready") {
    world.unready.clear();
    world.settle();
    CHECK(world.existing("2") == 3);
  }
  SECTION("and goes on with content that becomes ready") {
    world.k = "3";
    world.settle();
    CHECK(world.existing("3") == 3);
    CHECK(world.inventory.size() == 3);
  }
  SECTION("and is undone when the change is withdrawn") {
    world.k = "1";
    world.settle();
    CHECK(world.existing("1") == 3);
    CHECK(world.inventory.size() == 3);
  }
  SECTION("but deletions do not wait for it") {
    world.count = 2;
    CHECK(world.run() == kDelete);
  }
}

TEST_CASE("Drift is repaired while a rollout has stopped") {
  PacedWorld world({1, Until::kReady});
  world.settle();
  world.unready = {"2", "edited"};
  world.k = "2";
  world.run();
  const std::vector<Desired> wanted = world.desired();
  Value object = *world.api.find(wanted[0].ref);
  object.mutable_dict().set("data", json(R"({"k":"edited"})"));
  world.api.put(object);
  CHECK(world.run() == kWrite);
  CHECK(world.api.find(wanted[0].ref)->string_at({"data", "k"}) == "2");
}

TEST_CASE("Until gone: a child that terminates is waited for, in the inventory") {
  PacedWorld world({1, Until::kGone});
  world.settle();
  world.count = 1;
  std::vector<kube::ObjectRef> held;
  for (const auto& [ref, entry] : world.inventory) {
    Value object = *world.api.find(ref);
    object.find("metadata")->mutable_dict().set("finalizers", json(R"(["example.com/hold"])"));
    world.api.put(object);
    held.push_back(ref);
  }
  CHECK(world.rounds(3) == Rounds{kDelete, kNothing, kNothing});
  CHECK(world.inventory.size() == 3);
  world.restart();
  CHECK(world.run() == kNothing);
  for (const kube::ObjectRef& ref : held) {
    if (kube::is_deleting(*world.api.find(ref))) {
      world.api.erase(ref);
    }
  }
  CHECK(world.run() == kDelete);
  CHECK(world.inventory.size() == 2);
}

}  // namespace
}  // namespace chartwright::release
