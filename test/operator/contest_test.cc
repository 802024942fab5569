// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/operator/records.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::has;
using testing::kApply;
using testing::World;
using value::Value;

/// A child that foo changes as often as the operator repairs it.
struct Fight : World {
  Fight() {
    spec(R"({"color":"red"})");
    converge();
  }
  void paint_over() {
    Value live = value::deep_copy(*api.find(config_map("w")));
    live.find("data")->mutable_dict().set("color", Value::string("pink"));
    Value entry = testing::json(
        R"({"manager":"foo","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",)"
        R"("fieldsV1":{"f:data":{"f:color":{}}}})");
    live.find("metadata")->mutable_dict().set("managedFields", Value::list({std::move(entry)}));
    api.put(live);
  }
  /// Returns the number of repairs in so many rounds of the fight.
  int fight(int rounds) {
    int applied = 0;
    for (int i = 0; i < rounds; ++i) {
      paint_over();
      converge();
      applied += has(calls(), kApply) ? 1 : 0;
    }
    return applied;
  }
};

TEST_CASE("A child that is changed again soon after each repair is repaired ever more seldom") {
  Fight world;
  CHECK(world.fight(100) == 10);
  CHECK(world.color() == "pink");
  CHECK(
      world.condition("Contested") ==
      "True ChangedByOthers: ConfigMap shop/w is changed again soon after each repair (managed by "
      "foo)");
  CHECK(world.condition("Ready") ==
        "True Contested: all children are ready; see the condition Contested");
  CHECK(world.warnings.take() ==
        Calls{"Contested: ConfigMap shop/w is changed again soon after each repair (managed by "
              "foo): repairs wait longer each time, at most 5 minutes"});
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("A repair that had to wait is made when its time comes, without an event") {
  Fight world;
  world.fight(11);
  const auto outcome = world.reconcile();
  const auto* due = std::get_if<runtime::RequeueAfter>(&outcome);
  REQUIRE(due != nullptr);
  CHECK(due->delay == std::chrono::seconds(1));
  world.clock.advance(due->delay);
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.fight(20) == 0);
  world.clock.advance(std::chrono::seconds(2));
  CHECK(world.fight(20) == 1);
}

TEST_CASE("The condition goes once nobody has changed the child for a while") {
  Fight world;
  world.fight(10);
  for (const base::Duration left :
       {base::Duration(std::chrono::seconds(1)), base::Duration(std::chrono::seconds(30))}) {
    CHECK(world.condition("Contested").starts_with("True"));
    world.converge();
    const auto outcome = world.reconcile();
    REQUIRE(std::holds_alternative<runtime::RequeueAfter>(outcome));
    CHECK(std::get<runtime::RequeueAfter>(outcome).delay == left);
    world.clock.advance(left);
    world.converge();
  }
  CHECK(world.condition("Contested") == "absent");
  CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
}

TEST_CASE("A child that is deleted again and again is created ever more seldom") {
  Fight world;
  int creations = 0;
  for (int i = 0; i < 100; ++i) {
    world.api.erase(world.config_map("w"));
    world.converge();
    creations += world.exists("w") ? 1 : 0;
  }
  CHECK(creations == 10);
  CHECK(world.condition("Contested") ==
        "True ChangedByOthers: ConfigMap shop/w is changed again soon after each repair");
}

TEST_CASE("A target of a patch that is changed again and again is patched ever more seldom") {
  World world(testing::with(
      testing::widget_chart(),
      {{"operator/patches/theirs.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: theirs}\ndata: {color: blue}\n"}}));
  world.spec("{}");
  const Value theirs = testing::json(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"theirs","namespace":"shop"},)"
      R"("data":{"color":"green"}})");
  int repairs = -1;  // The first write is not a repair.
  for (int i = 0; i < 100; ++i) {
    Value live = value::deep_copy(world.api.find(world.config_map("theirs")).value_or(theirs));
    live.find("data")->mutable_dict().set("color", Value::string("green"));
    world.api.put(live);
    world.converge();
    repairs += world.color("theirs") == "blue" ? 1 : 0;
  }
  CHECK(repairs == 10);
  CHECK(world.condition("Contested").starts_with("True ChangedByOthers: ConfigMap shop/theirs "));
}

TEST_CASE("A change of the spec does not wait for the end of a fight") {
  Fight world;
  world.fight(20);
  world.spec(R"({"color":"blue"})");
  world.converge();
  CHECK(world.color() == "blue");
}

}  // namespace
}  // namespace chartwright::op
