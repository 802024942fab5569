// SPDX-License-Identifier: Apache-2.0
#include "operator/rollout.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/operator/hooked.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::create;
using testing::Hooked;
using testing::kApply;
using testing::kStatus;
using testing::PreparedParts;
using testing::World;

/// Rolls out a new render.
base::Status roll_out(PreparedParts& parts) {
  CW_MUST(parts.remedy.prepare());
  CW_MUST(parts.children.look());
  return parts.rollout.run(CW_MUST(parts.candidates.make(std::nullopt)));
}

size_t place(const Calls& calls, const std::string& call) {
  REQUIRE(testing::has(calls, call));
  return static_cast<size_t>(std::find(calls.begin(), calls.end(), call) - calls.begin());
}

TEST_CASE("A render that anybody can repeat is recorded after it is applied") {
  World world;
  world.spec("{}");
  PreparedParts parts(world);
  CHECK(roll_out(parts).ok());
  CHECK(parts.state.progress.revision() == 1);
  CHECK_FALSE(parts.rollout.is_half_done());
  CHECK(place(world.calls(), kApply) < place(world.calls(), create(1)));
}

TEST_CASE("A render that waits for hooks has its record first, and its children later") {
  Hooked world;
  PreparedParts parts(world);
  CHECK_FALSE(roll_out(parts).ok());
  CHECK(parts.wait.waiting());
  CHECK(place(world.calls(), create(1)) < place(world.calls(), "create Job.batch shop/before"));
  CHECK_FALSE(testing::has(world.calls(), kApply));
  CHECK(parts.state.progress.revision() == 0);
  CHECK(parts.state.progress.attempt()->revision == 1);
}

TEST_CASE("A rollout that fails with a child is half done, and has no record") {
  World world;
  world.spec("{}");
  world.api.fail_always(kApply, Error(ErrorCode::kInvalid, "no"));
  PreparedParts parts(world);
  CHECK(roll_out(parts).error().code() == ErrorCode::kInvalid);
  CHECK(parts.rollout.is_half_done());
  CHECK(parts.state.progress.revision() == 0);
  CHECK_FALSE(testing::has(world.calls(), create(1)));
}

TEST_CASE("Children are noted in the status before the first of them is written") {
  World world;
  world.spec("{}");
  PreparedParts parts(world);
  CHECK(roll_out(parts).ok());
  CHECK(place(world.calls(), kStatus) < place(world.calls(), kApply));
}

TEST_CASE("A release that nobody knew of ends an install before its first effect") {
  Hooked first;
  first.settle();
  Hooked world;
  testing::put_record(world, testing::record(first, 1));
  PreparedParts parts(world);
  parts.state.record_search = RecordSearch::kPutOff;
  CHECK(roll_out(parts).error().code() == ErrorCode::kConflict);
  CHECK(parts.rollout.found_release());
  CHECK(world.jobs().empty());
}

TEST_CASE("A new spec that is half applied is not undone for an error that passes") {
  World world;
  world.spec(R"({"color":"red","extra":"more"})");
  world.converge();
  world.spec(R"({"color":"green"})");
  world.api.once(testing::get(1), [&world]() -> std::optional<Error> {
    world.api.allow_calls(0);  // The process ends, before it has a record.
    return std::nullopt;
  });
  world.fail();
  CHECK(world.color() == "green");
  CHECK_FALSE(world.exists("more"));
  world.api.allow_calls(std::nullopt);
  world.restart();
  world.api.fail_once(testing::get(1), Error(ErrorCode::kUnavailable, "not now"));
  world.fail();
  CHECK(world.color() == "green");
  CHECK_FALSE(world.exists("more"));
  world.converge();
  CHECK(world.history() == Calls{"2 deployed Upgrade complete", "1 superseded Install complete"});
}

}  // namespace
}  // namespace chartwright::op
