// SPDX-License-Identifier: Apache-2.0
#include "operator/drift_repair.h"

#include <catch2/catch.hpp>

#include "test/operator/hooked.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using testing::Calls;
using testing::forge;
using testing::json;
using testing::kApply;
using testing::Painted;
using testing::PreparedParts;
using testing::World;

TEST_CASE("A revision in force that is as recorded costs no call") {
  Painted world;
  PreparedParts parts(world);
  CW_MUST(parts.children.look());
  CHECK(parts.drift.keep().ok());
  CHECK(world.calls().empty());
}

TEST_CASE("A child that differs is set back to its record, whatever the chart renders now") {
  Painted world;
  world.spec(R"({"color":"pink"})");
  world.api.put(
      json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"w","namespace":"shop"}})"));
  PreparedParts parts(world);
  CW_MUST(parts.children.look());
  CHECK(parts.drift.keep().ok());
  CHECK(testing::has(world.calls(), kApply));
  CHECK(world.color() == "blue");
}

TEST_CASE("A record that is lost is not made anew from other inputs") {
  Painted world;
  world.api.erase(world.secret(3));
  world.api.erase(world.config_map("w"));
  world.spec(R"({"color":"pink"})");
  PreparedParts parts(world);
  CW_MUST(parts.children.look());
  CHECK(parts.drift.keep().error().code() == ErrorCode::kNotFound);
  CHECK_FALSE(world.exists("w"));
  CHECK_FALSE(testing::has(world.calls(), testing::create(4)));
}

TEST_CASE("A release whose record is lost is repaired, and recorded anew") {
  Painted world;
  SECTION("deleted") { world.api.erase(world.secret(3)); }
  SECTION("changed") { forge(world, 3); }
  world.restart();
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.color() == "blue");
  CHECK_FALSE(world.exists("forged"));
  CHECK(world.revision() == 4);
  CHECK(world.lines.mention("is lost: recorded anew"));
  testing::check_at_rest(world);
}

TEST_CASE("Records that somebody deletes with the children are written again") {
  World world(testing::with(
      testing::widget_chart(),
      {{"templates/NOTES.txt", "Try {{ randAlpha 9 }}."},
       {"templates/test.yaml", testing::hook_job("try-{{ randAlpha 9 | lower }}", "test")}}));
  world.spec("{}");
  world.converge();
  SECTION("at once") {}
  SECTION("while no process runs") { world.restart(); }
  world.api.erase(world.secret(1));
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.exists("w"));
  CHECK(world.revision() == 2);
  CHECK(world.api.find(world.secret(2)));
  CHECK(world.condition("Ready") == "True Ready: all children are ready");
  world.converge();
  CHECK(world.calls().empty());
}

TEST_CASE("Chance does not take the place of a lost record") {
  World world(testing::with(testing::widget_chart(), {{"templates/login.yaml",
                                                       "apiVersion: v1\nkind: ConfigMap\nmetadata: "
                                                       "{name: login}\ndata: {color: {{ randAlpha "
                                                       "9 }}}\n"}}));
  world.spec("{}");
  world.converge();
  const std::string password = world.color("login");
  world.api.erase(world.secret(1));
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.exists("w"));  // As any render gives it.
  CHECK(world.color("login") == password);
  world.api.erase(world.config_map("login"));
  const runtime::Failed failed = world.fail();
  CHECK(failed.error.code() == ErrorCode::kNotFound);
  CHECK_THAT(failed.error.help(), Catch::Matchers::Contains("objects that another render would"));
  CHECK_FALSE(world.exists("login"));
  world.spec(R"({"color":"green"})");
  world.converge();
  CHECK(world.color() == "green");
}

}  // namespace
}  // namespace chartwright::op
