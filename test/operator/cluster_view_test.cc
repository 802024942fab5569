// SPDX-License-Identifier: Apache-2.0
#include "subject/cluster_view.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::json;
using testing::Painted;
using testing::PreparedParts;
using testing::World;
using value::Value;

/// As the next process takes it.
std::string fingerprint(World& world) {
  PreparedParts parts(world);
  return CW_MUST(parts.view.input_fingerprint());
}

TEST_CASE("A fingerprint changes with what a reconcile depends on, and with nothing else") {
  Painted world;
  const std::string before = fingerprint(world);
  CHECK_FALSE(before.empty());
  CHECK(fingerprint(world) == before);

  SECTION("an object that is not in the inventory") {
    world.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",
                           "metadata":{"name":"other","namespace":"shop"}})"));
    CHECK(fingerprint(world) == before);
  }
  SECTION("a child") {
    Value child = *world.api.find(world.config_map("w"));
    child.mutable_dict().set("data", json(R"({"color":"edited"})"));
    world.api.put(child);
    CHECK(fingerprint(world) != before);
  }
  SECTION("an annotation") {
    world.annotate("example.com/note", "x");
    CHECK(fingerprint(world) != before);
  }
  SECTION("a spec") {
    world.spec(R"({"color":"pink"})");
    CHECK(fingerprint(world) != before);
  }
}

TEST_CASE("A fingerprint covers related objects that templates read") {
  World world(testing::with(testing::widget_chart(),
                            {{"operator/status.yaml", "count: {{ len .Related.theirs }}\n"},
                             {"operator/operator.yaml",
                              "related:\n  theirs:\n    apiVersion: v1\n    kind: ConfigMap\n"
                              "    selector: {app: theirs}\n"}}));
  world.spec("{}");
  world.converge();
  const std::string before = fingerprint(world);
  world.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"theirs",
                         "namespace":"shop","labels":{"app":"theirs"}}})"));
  CHECK(fingerprint(world) != before);
  CHECK_FALSE(fingerprint(world).empty());
}

TEST_CASE("There is no fingerprint while a child is missing or the update of a CRD is refused") {
  Painted world;
  SECTION("a child is missing") { world.api.erase(world.config_map("w")); }
  SECTION("an update is refused") {
    PreparedParts parts(world);
    parts.state.held_definitions = "foos.example.com: v1 is stored";
    CHECK(CW_MUST(parts.view.input_fingerprint()).empty());
    CHECK_FALSE(parts.view.is_unchanged());
    return;
  }
  CHECK(fingerprint(world).empty());
}

TEST_CASE("Only a reconcile that took the fingerprint and converged lets the next one be skipped") {
  Painted world;
  PreparedParts parts(world);
  CHECK_FALSE(parts.view.is_unchanged());
  parts.view.mark_converged();
  ClusterView next(parts.subject, parts.inputs, parts.renders, parts.records, parts.state.config);
  CHECK(next.is_unchanged());

  ClusterView blind(parts.subject, parts.inputs, parts.renders, parts.records, parts.state.config);
  blind.mark_converged();
  CHECK_FALSE(next.is_unchanged());
}

TEST_CASE("Children without a reference to the custom resource are among .Live") {
  const std::string on_delete = GENERATE("cascade", "orphan", "keep");
  CAPTURE(on_delete);
  World world(testing::with(
      testing::widget_chart(),
      {{"operator/status.yaml", "count: {{ len .Live }}\n"},
       {"operator/operator.yaml", "children:\n- match: {}\n  onDelete: " + on_delete + "\n"}}));
  world.spec("{}");
  world.converge();
  PreparedParts parts(world);
  const auto& live = CW_MUST(parts.view.scope())->find("Live")->as_list().items;
  REQUIRE(live.size() == 1);
  CHECK(live[0].string_at({"metadata", "name"}) == "w");
}

TEST_CASE("Templates of operator/ see the release in force, not the inputs of the next one") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  world.converge();
  PreparedParts parts(world);
  CHECK(parts.inputs.release.config.string_at({"color"}) == "blue");
  const Value* scope = CW_MUST(parts.view.scope());
  CHECK(scope->string_at({"Values", "color"}) == "red");
  CHECK(scope->find_path({"Release", "Revision"})->as_int() == 4);
  CHECK(CW_MUST(parts.view.scope()) == scope);  // Made once.
}

}  // namespace
}  // namespace chartwright::op
