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
  CHECK(parts.state.progress.handled_rollback() == "77");
  CHECK_FALSE(parts.state.progress.rollback_refusal().empty());
}

TEST_CASE("Inputs that have failed are tried again at their time, or once they change") {
  Painted world;
  world.spec(R"({"color":"black"})");
  PreparedParts parts(world);
  Failure failure{Phase::kUpgrade, Error(ErrorCode::kInvalid, "no"), parts.inputs.attempt};
  failure.retry_at = world.clock.monotonic() + std::chrono::seconds(1);
  parts.state.progress.fail(failure);
  CHECK(parts.goals.choose().goal == Goal::kKeep);
  world.clock.advance(std::chrono::seconds(1));
  CHECK(parts.goals.choose().goal == Goal::kRender);
  failure.retry_at.reset();
  parts.state.progress.fail(failure);
  CHECK(parts.goals.choose().goal == Goal::kKeep);
  failure.attempt = "others";
  parts.state.progress.fail(failure);
  CHECK(parts.goals.choose().goal == Goal::kRender);
}

TEST_CASE(
    "A rollback whose hook has failed is tried again on request, unless the spec has changed") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  PreparedParts parts(world);
  parts.state.progress.answer_rollback("1");
  Failure failure{Phase::kUpgrade, Error(ErrorCode::kInvalidArgument, "no"), parts.inputs.attempt};
  failure.rollback = "1";
  failure.retry_at.reset();
  parts.state.progress.fail(failure);
  CHECK(parts.goals.choose().goal == Goal::kKeep);
  failure.attempt = "before the request";
  parts.state.progress.fail(failure);
  const std::string inputs = parts.state.progress.inputs();
  parts.state.progress.note_inputs("sha256:other");
  CHECK(parts.goals.choose().goal == Goal::kRender);
  parts.state.progress.note_inputs(inputs);
  CHECK(parts.goals.choose().goal == Goal::kRollback);
  CHECK(parts.state.progress.handled_rollback().empty());  // Another process goes on with it.
}

TEST_CASE("An attempt that has begun goes on, although the inputs are in force") {
  Painted world;
  PreparedParts parts(world);
  parts.state.progress.begin({});
  CHECK(parts.goals.has_begun());
  CHECK(parts.goals.choose().goal == Goal::kRender);
  parts.state.progress.end_attempt("a hook failed");
  CHECK_FALSE(parts.goals.has_begun());
  CHECK(parts.goals.choose().goal == Goal::kKeep);
}

}  // namespace
}  // namespace chartwright::op
