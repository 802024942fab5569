// SPDX-License-Identifier: Apache-2.0
#include "history/history.h"

#include <catch2/catch.hpp>

#include "test/operator/hooked.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::create;
using testing::has;
using testing::of_record;
using testing::Painted;
using testing::patch;
using testing::PreparedParts;
using testing::record;
using testing::World;
using value::Value;

/// A candidate whose manifest is not in force.
Candidate pink(PreparedParts& parts) {
  Candidate candidate = CW_MUST(parts.candidates.render());
  CW_MUST(parts.digests.ensure_key());
  candidate.manifest += "# pink\n";
  candidate.digest = CW_MUST(release::keyed_digest(parts.state.key, candidate.manifest));
  candidate.inputs = "sha256:pink";
  return candidate;
}

TEST_CASE("The revision in force is the newest line, if that is the one in the status") {
  Painted world;
  PreparedParts parts(world);
  Candidate newest;
  newest.digest = testing::digest(world, 3);
  CHECK(parts.history.is_in_force(newest));
  Candidate older;
  older.digest = testing::digest(world, 2);
  CHECK_FALSE(parts.history.is_in_force(older));
  newest.alters_externals = true;
  CHECK_FALSE(parts.history.is_in_force(newest));
  newest.alters_externals = false;
  parts.state.progress.take_over(2);
  CHECK_FALSE(parts.history.is_in_force(newest));
  parts.state.history.clear();
  CHECK_FALSE(parts.history.is_in_force(newest));
}

TEST_CASE("A release whose record does not fit a Secret has no effect", "[large]") {
  Painted world;
  if (GENERATE(false, true)) {
    world.restart();
  }
  const std::string noise = base::base64_encode(CW_MUST(base::random_bytes(size_t{1} << 20)));
  world.spec(R"({"color":")" + noise + R"("})");
  const runtime::Failed failed = world.fail();
  CHECK(failed.error.code() == base::ErrorCode::kBudget);
  CHECK_THAT(failed.error.message(), Catch::Matchers::StartsWith("revision 4 "));
  CHECK(world.color() == "blue");
  for (const std::string& call : world.calls()) {
    CHECK_FALSE(call.starts_with("apply "));
    CHECK_FALSE(call.starts_with("create "));
  }
  world.spec(R"({"color":"pink"})");
  world.converge();
  CHECK(world.color() == "pink");
}

TEST_CASE("The files of a chart are in the records of its releases and rollbacks") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  world.converge();
  for (const int number : {1, 3, 4}) {
    INFO(number);
    const release::Revision revision = record(world, number);
    REQUIRE(revision.chart_files != nullptr);
    CHECK(revision.chart_files->choices == CW_MUST(world.watch.bundle.recorded->packed())->choices);
    CHECK(revision.chart_values.is_dict());
  }
}

TEST_CASE("Other inputs of the manifest in force are remembered without a record") {
  Painted world;
  PreparedParts parts(world);
  Candidate candidate;
  candidate.digest = testing::digest(world, 3);
  candidate.inputs = "sha256:other";
  parts.state.progress.take_over_rollback("sha256:old", "sha256:former");
  parts.state.progress.note_later_record(LaterRecord::kNone);
  CW_MUST(parts.history.record(candidate));
  CHECK(world.calls().empty());
  CHECK(parts.state.progress.inputs() == "sha256:other");
  CHECK(parts.state.progress.revision() == 3);
  CHECK_FALSE(parts.state.progress.is_pinned());
}

TEST_CASE("A candidate becomes the next revision, and the one before is superseded") {
  Painted world;
  PreparedParts parts(world);
  const Candidate candidate = pink(parts);
  CW_MUST(parts.history.record(candidate));
  CHECK(has(world.calls(), create(4)));
  CHECK(has(world.calls(), patch(3)));
  CHECK(parts.state.progress.revision() == 4);
  CHECK(parts.state.progress.inputs() == candidate.inputs);
  CHECK(parts.state.config.is_nil());
  REQUIRE(parts.state.history.size() == 4);
  CHECK(parts.state.history[0].digest == candidate.digest);
  CHECK(parts.state.history[0].status == "deployed");
  CHECK(parts.state.history[1].status == "superseded");
  CHECK(record(world, 3).status == release::RevisionStatus::kSuperseded);
  CHECK(record(world, 4).first_deployed == record(world, 1).first_deployed);
}

TEST_CASE("A rollback names the chart of its revision") {
  World world;
  world.spec("{}");
  world.converge();
  world.deploy({{"Chart.yaml", "apiVersion: v2\nname: widget\nversion: 0.2.0\n"}});
  world.spec(R"({"color":"blue"})");
  world.converge();
  world.news.take();
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK(world.news.take() ==
        Calls{"RolledBack: Revision 3 of release w is deployed, by chart widget-0.1.0, because a "
              "rollback is asked for"});
  const Value status = world.status();
  CHECK(status.items_at({"history"}).at(0).string_at({"chart"}) == "widget-0.1.0");
  CHECK(status.items_at({"history"}).at(1).string_at({"chart"}) == "widget-0.2.0");
}

TEST_CASE("A test with a random name makes no other revision") {
  World world(testing::with(
      testing::widget_chart(),
      {{"templates/test.yaml", testing::hook_job("try-{{ randAlpha 9 | lower }}", "test")}}));
  world.spec("{}");
  world.converge();
  Value wiped = value::deep_copy(world.cr());
  wiped.mutable_dict().erase("status");
  world.api.put(wiped);
  world.restart();
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.history() == Calls{"1 deployed Install complete"});
}

TEST_CASE("A record whose digest was made with its tests is still known") {
  World world(testing::with(testing::widget_chart(),
                            {{"templates/test.yaml", testing::hook_job("try", "test")}}));
  world.spec("{}");
  world.converge();
  const release::Revision revision = testing::record(world, 1);
  const std::string former = CW_MUST(release::keyed_digest(
      revision.key, CW_MUST(release::former_text_of_release(revision.manifest, revision.hooks))));
  const Value earlier = value::deep_copy(world.cr());
  earlier.find("status")
      ->items_at({"history"})
      .front()
      .mutable_dict()
      .set("digest", Value::string(former));
  world.api.put(earlier);
  world.restart();
  world.api.erase(world.config_map("w"));
  world.converge();
  CHECK(world.exists("w"));
  CHECK(world.revision() == 1);
  world.spec(R"({"unused":"such a change makes no revision"})");
  world.converge();
  CHECK(world.revision() == 1);
}

TEST_CASE("A revision whose record is deleted before its end is recorded anew") {
  Painted world;
  PreparedParts parts(world);
  const Candidate candidate = pink(parts);
  parts.state.progress.begin({.revision = 4});
  SECTION("as deployed") {
    CW_MUST(parts.history.record(candidate));
    CHECK(parts.state.progress.revision() == 4);
    CHECK(record(world, 3).status == release::RevisionStatus::kSuperseded);
    CHECK(record(world, 4).status == release::RevisionStatus::kDeployed);
  }
  SECTION("as failed") {
    CW_MUST(parts.history.record_failure(candidate, "no luck", History::Applied::kNo));
    CHECK(parts.state.progress.revision() == 3);
    CHECK(parts.state.progress.attempt()->revision == 4);
    CHECK(record(world, 3).status == release::RevisionStatus::kDeployed);
    CHECK(record(world, 4).status == release::RevisionStatus::kFailed);
    CHECK(record(world, 4).description == "no luck");
  }
  CHECK(record(world, 4).manifest == candidate.manifest);
  CHECK(CW_MUST(digest_of(record(world, 4).key, candidate.manifest, candidate.hooks)) ==
        parts.state.history.front().digest);
}

TEST_CASE("A number that a failed revision has is not given again") {
  Painted world;
  PreparedParts parts(world);
  HistoryItem failed;
  failed.revision = 8;
  failed.status = "failed";
  parts.state.history.insert(parts.state.history.begin(), failed);
  CW_MUST(parts.history.record(pink(parts)));
  CHECK(parts.state.progress.revision() == 9);
}

TEST_CASE("A rollback keeps its values and answers its request") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  PreparedParts parts(world);
  Candidate candidate = pink(parts);
  candidate.rollback = Rollback{"1"};
  candidate.after = RolledBack{"sha256:rejected"};
  parts.state.progress.refuse_rollback("", "of an earlier one");
  CW_MUST(parts.history.record(candidate));
  REQUIRE(std::holds_alternative<RolledBack>(parts.state.progress.pin()));
  CHECK(parts.state.progress.pinned_revision() == 4);
  CHECK(*parts.state.progress.rejected_inputs() == "sha256:rejected");
  CHECK(parts.state.config.unpack().string_at({"color"}) == "blue");
  CHECK(parts.state.progress.handled_rollback() == "1");
  CHECK(parts.state.progress.rollback_refusal().empty());
}

TEST_CASE("The oldest records are removed once there are more than the limit") {
  Painted world;
  world.history_max = 2;
  world.restart();
  PreparedParts parts(world);
  CW_MUST(parts.history.record(pink(parts)));
  CHECK(has(world.calls(), of_record("delete", 1)));
  CHECK(has(world.calls(), of_record("delete", 2)));
  REQUIRE(parts.state.history.size() == 2);
  CHECK(parts.state.history.back().revision == 3);
}

TEST_CASE("A revision that was recorded unheard, and then overtaken, is in the history") {
  World world;
  world.history_max = GENERATE(10, 1);
  world.spec("{}");
  world.api.lose_answer_once(create(1));
  world.fail();
  world.spec(R"({"color":"blue"})");
  world.converge();
  Calls history = {"2 deployed Install complete"};
  if (world.history_max > 1) {  // Otherwise it goes, as others of its age do.
    history.emplace_back("1 superseded Install complete");
  }
  CHECK(world.history() == history);
  CHECK(world.api.count("Secret") == history.size());
}

}  // namespace
}  // namespace chartwright::op
