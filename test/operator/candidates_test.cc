// SPDX-License-Identifier: Apache-2.0
#include "history/candidates.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using testing::forge;
using testing::inputs;
using testing::Painted;
using testing::Parts;
using testing::PreparedParts;
using testing::record;
using testing::World;

HistoryItem line(int revision, const std::string& status) {
  HistoryItem item;
  item.revision = revision;
  item.status = status;
  return item;
}

TEST_CASE("The previous revision is before the one in force, and did not fail") {
  World world;
  world.spec("{}");
  Parts parts(world);
  parts.state.history = {line(6, "failed"), line(5, "deployed"), line(4, "failed"),
                         line(3, "superseded"), line(2, "superseded")};
  parts.state.progress.take_over(5);
  CHECK(CW_MUST(parts.candidates.rollback_target("previous")) == 3);
  parts.state.progress.take_over(3);
  CHECK(CW_MUST(parts.candidates.rollback_target("previous")) == 2);
  parts.state.progress.take_over(2);
  const auto none = parts.candidates.rollback_target("previous");
  CHECK(none.error().code() == ErrorCode::kInvalidArgument);
  CHECK(none.error().message() == "cannot roll back: there is no revision before 2");
}

TEST_CASE("A revision is named by its whole number") {
  World world;
  world.spec("{}");
  Parts parts(world);
  parts.state.history = {line(2, "deployed"), line(1, "superseded")};
  parts.state.progress.take_over(2);
  CHECK(CW_MUST(parts.candidates.rollback_target("1")) == 1);
  // 2^32 + 1, which is 1 in 32 bits.
  CHECK(parts.candidates.rollback_target("4294967297").error().message() ==
        "cannot roll back: revision 4294967297 is not in status.history");
  for (const std::string_view request : {"1.0", "one", "", "Previous"}) {
    CAPTURE(request);
    CHECK(parts.candidates.rollback_target(request).error().code() == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("A render is named by the inputs that the status has") {
  Painted world;
  PreparedParts parts(world);
  const Candidate candidate = CW_MUST(parts.candidates.render());
  CHECK(candidate.inputs == inputs(world));
  CHECK(candidate.manifest == record(world, 3).manifest);
  CHECK(candidate.notes == "Painted blue.");
  CHECK(candidate.description == "Upgrade complete");
  CHECK_FALSE(candidate.rollback);
  CHECK_FALSE(candidate.lookups);
  CHECK(world.calls().empty());
}

TEST_CASE("A replay takes all but the inputs from the record") {
  Painted world;
  PreparedParts parts(world);
  const Candidate candidate = CW_MUST(parts.candidates.replay({"2"}));
  CHECK(candidate.manifest == record(world, 2).manifest);
  CHECK(candidate.objects.size() == 1);
  CHECK(candidate.config.string_at({"color"}) == "green");
  CHECK(candidate.notes == "Painted green.");
  CHECK(candidate.description == "Rollback to 2");
  CHECK(candidate.inputs == inputs(world));
  const auto* after = std::get_if<RolledBack>(&candidate.after);
  REQUIRE(after != nullptr);
  CHECK(after->rejected_inputs == parts.inputs.spec_digest);
}

TEST_CASE("A changed record is not replayed, and others are") {
  Painted world;
  forge(world, 1);
  PreparedParts parts(world);
  CHECK(parts.candidates.replay({"1"}).error().code() == ErrorCode::kOwnership);
  CHECK(parts.candidates.replay({"2"}).ok());
}

}  // namespace
}  // namespace chartwright::op
