// SPDX-License-Identifier: Apache-2.0
#include "operator/goal.h"

#include <catch2/catch.hpp>
#include <utility>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Painted;
using testing::PreparedParts;
using testing::World;

Goal goal_of(World& world) { return PreparedParts(world).goals.choose().goal; }

TEST_CASE("The revision in force is kept until the inputs change") {
  Painted world;
  CHECK(goal_of(world) == Goal::kKeep);
  world.spec(R"({"color":"black"})");
  CHECK(goal_of(world) == Goal::kRender);
  world.converge();
  CHECK(goal_of(world) == Goal::kKeep);
}

TEST_CASE("A rollback is the goal until it is answered, and then it holds") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  CHECK(goal_of(world) == Goal::kRollback);
  world.converge();
  CHECK(goal_of(world) == Goal::kKeep);
  world.annotate(kRollbackTo, std::nullopt);
  CHECK(goal_of(world) == Goal::kRender);
}

TEST_CASE("A rollback to nowhere is refused, and nothing else changes") {
  Painted world;
  world.annotate(kRollbackTo, "77");
  PreparedParts parts(world);
  CHECK(parts.goals.choose().goal == Goal::kKeep);
  CHECK_FALSE(parts.goals.rollback_is_due());
  CHECK(parts.state.handled_rollback == "77");
  CHECK_FALSE(parts.state.rollback_refusal.empty());
}

TEST_CASE("Inputs that have failed are tried again at their time, or once they change") {
  Painted world;
  world.spec(R"({"color":"black"})");
  PreparedParts parts(world);
  parts.state.failure = Failure{Phase::kUpgrade, Error(ErrorCode::kInvalid, "no")};
  parts.state.failure->attempt = parts.inputs.attempt;
  parts.state.failure->retry_at = world.clock.monotonic() + std::chrono::seconds(1);
  CHECK(parts.goals.choose().goal == Goal::kKeep);
  world.clock.advance(std::chrono::seconds(1));
  CHECK(parts.goals.choose().goal == Goal::kRender);
  parts.state.failure->retry_at.reset();
  CHECK(parts.goals.choose().goal == Goal::kKeep);
  parts.state.failure->attempt = "others";
  CHECK(parts.goals.choose().goal == Goal::kRender);
}

TEST_CASE(
    "A rollback whose hook has failed is tried again on request, unless the spec has changed") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  PreparedParts parts(world);
  parts.state.handled_rollback = "1";
  parts.state.failure = Failure{Phase::kUpgrade, Error(ErrorCode::kInvalidArgument, "no")};
  parts.state.failure->attempt = parts.inputs.attempt;
  parts.state.failure->rollback = "1";
  parts.state.failure->retry_at.reset();
  CHECK(parts.goals.choose().goal == Goal::kKeep);
  parts.state.failure->attempt = "before the request";
  const std::string inputs = std::exchange(parts.state.inputs, "sha256:other");
  CHECK(parts.goals.choose().goal == Goal::kRender);
  parts.state.inputs = inputs;
  CHECK(parts.goals.choose().goal == Goal::kRollback);
  CHECK(parts.state.handled_rollback.empty());  // Another process goes on with it.
}

TEST_CASE("An attempt that has begun goes on, although the inputs are in force") {
  Painted world;
  PreparedParts parts(world);
  parts.state.attempt = Attempt{};
  CHECK(parts.goals.has_begun());
  CHECK(parts.goals.choose().goal == Goal::kRender);
  parts.state.attempt->failure = "a hook failed";
  CHECK_FALSE(parts.goals.has_begun());
  CHECK(parts.goals.choose().goal == Goal::kKeep);
}

}  // namespace
}  // namespace chartwright::op
