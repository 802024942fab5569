// SPDX-License-Identifier: Apache-2.0
// Pauses of a custom resource.
#include <catch2/catch.hpp>

#include "test/operator/records.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::kStatus;
using testing::World;

TEST_CASE("A pause stops everything but the condition that reports it") {
  World world;
  world.spec(R"({"color":"blue"})");
  world.converge();
  world.converge();
  world.news.take();
  world.annotate(kPaused, "restoring a backup");
  world.converge();
  CHECK(world.calls() == Calls{kStatus});
  CHECK(world.news.take() == Calls{"Paused: restoring a backup"});
  CHECK(world.condition("Paused") == "True PauseRequested: restoring a backup");
  CHECK(world.condition("Ready") == "True Paused: all children are ready");

  SECTION("repairs") {
    world.api.erase(world.config_map("w"));
    world.converge();
    CHECK(world.calls().empty());
    world.annotate(kPaused, std::nullopt);
    world.converge();
    CHECK(world.color() == "blue");
    CHECK(world.condition("Paused") == "absent");
  }
  SECTION("upgrades, and the status does not claim to have seen them") {
    const auto without_conditions = [&world] {
      const value::Value status = world.status();
      status.mutable_dict().erase("conditions");
      return status;
    };
    const value::Value before = without_conditions();
    world.spec(R"({"color":"green"})");
    world.converge();
    CHECK(world.calls() == Calls{kStatus});  // The condition holds for the new generation, too.
    CHECK(value::json_equal(without_conditions(), before));
    world.restart();
    world.converge();
    CHECK(world.calls().empty());
    world.annotate(kPaused, "false");
    world.converge();
    CHECK(world.color() == "green");
    CHECK(world.revision() == 2);
  }
  SECTION("rollbacks, which are answered afterwards") {
    world.spec(R"({"color":"green"})");
    world.annotate(kPaused, std::nullopt);
    world.converge();
    world.annotate(kPaused, "");  // Asks for none.
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.color() == "blue");
    world.annotate(kPaused, "again");
    world.annotate(kRollbackTo, "2");
    world.converge();
    CHECK(world.color() == "blue");
    world.annotate(kPaused, std::nullopt);
    world.converge();
    CHECK(world.color() == "green");
  }
}

TEST_CASE("A paused custom resource that is new gets nothing but the condition") {
  World world;
  world.spec("{}");
  world.annotate(kPaused, "later");
  world.converge();
  CHECK(world.calls() == Calls{kStatus});
  CHECK(world.condition("Paused") == "True PauseRequested: later");
  CHECK(world.condition("Initialized") == "absent");
  CHECK(world.revision() == 0);
}

TEST_CASE("A pause ends at its time by itself") {
  World world;
  world.spec("{}");
  world.annotate(kPaused, "maintenance");
  world.annotate(kPausedUntil, base::format_rfc3339(world.clock.wall() + std::chrono::hours(1)));
  const auto outcome = world.reconcile();
  REQUIRE(std::holds_alternative<runtime::RequeueAfter>(outcome));
  const base::Duration left = std::get<runtime::RequeueAfter>(outcome).delay;
  CHECK(left > std::chrono::minutes(59));
  CHECK(left <= std::chrono::hours(1));
  CHECK_THAT(world.condition("Paused"),
             Catch::Matchers::StartsWith("True PauseRequested: maintenance; until 20"));
  world.clock.advance(left);
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.condition("Paused") == "absent");
}

TEST_CASE("A pause whose end cannot be read goes on, and says so") {
  World world;
  world.spec("{}");
  world.annotate(kPaused, "maintenance");
  world.annotate(kPausedUntil, "tomorrow");
  CHECK(std::holds_alternative<runtime::Done>(world.reconcile()));
  CHECK(world.condition("Paused") ==
        "True PauseRequested: maintenance; chartwright.io/paused-until is not a time such as "
        "2030-01-31T12:00:00Z: the pause has no end");
  CHECK(world.revision() == 0);
}

}  // namespace
}  // namespace chartwright::op
