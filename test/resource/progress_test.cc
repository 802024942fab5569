// SPDX-License-Identifier: Apache-2.0
#include "resource/progress.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/strings.h"

namespace chartwright::op {
namespace {

const FailedAttempt kFailedUpgrade{5, "no"};

std::string shown(const Pin& pin) {
  if (const auto* asked = std::get_if<RolledBack>(&pin)) {
    return "rolled back from " + asked->rejected_inputs;
  }
  if (const auto* undoing = std::get_if<Undoing>(&pin)) {
    return "undoing " + std::to_string(undoing->failed.revision) + " of " +
           undoing->rejected_inputs;
  }
  if (const auto* undone = std::get_if<Undone>(&pin)) {
    return "undone " + std::to_string(undone->failed.revision) + " of " + undone->rejected_inputs +
           ", dry run " + std::string(to_string(undone->failed.dry_run));
  }
  return "";
}

/// All that an event may change, where it is not as at the start.
std::string shown(const Progress& progress) {
  std::vector<std::string> parts = {std::to_string(progress.revision()) + " of " +
                                    progress.inputs()};
  if (progress.is_pinned()) {
    parts.push_back(shown(progress.pin()));
  }
  if (progress.attempt()) {
    parts.push_back("attempt " + std::to_string(progress.attempt()->revision) +
                    (progress.has_ended() ? " ended: " + progress.attempt()->failure : ""));
  }
  if (progress.failure()) {
    parts.push_back("failure: " + progress.failure()->error.message());
  }
  if (!progress.handled_rollback().empty()) {
    parts.push_back("answered " + progress.handled_rollback());
  }
  if (!progress.rollback_refusal().empty()) {
    parts.push_back("refused: " + progress.rollback_refusal());
  }
  if (progress.is_unrecorded()) {
    parts.push_back("unrecorded");
  }
  return base::join(parts, "; ");
}

struct Row {
  std::string claim;
  Progress::Stored before;
  std::function<void(Progress&)> happens;
  std::string after;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.claim);
    Progress progress(row.before);
    row.happens(progress);
    CHECK(shown(progress) == row.after);
  }
}

Progress::Stored with_attempt(int revision, Pin pin = Unpinned()) {
  Attempt attempt;
  attempt.revision = revision;
  return {.revision = 4, .inputs = "old", .pin = std::move(pin), .attempt = std::move(attempt)};
}

TEST_CASE("A candidate in force decides what becomes of the pin and of the request") {
  check({
      {"that of the spec ends a rollback",
       {.revision = 4, .inputs = "old", .pin = RolledBack{"bad"}, .handled_rollback = "2"},
       [](Progress& p) { p.put_in_force(5, "new", Unpinned(), ""); },
       "5 of new; answered 2"},
      {"a rollback on request answers it, and ends the refusal of an earlier one",
       {.revision = 4, .inputs = "old", .handled_rollback = "9", .rollback_refusal = "no such"},
       [](Progress& p) { p.put_in_force(5, "new", RolledBack{"bad"}, "2"); },
       "5 of new; rolled back from bad; answered 2"},
      {"a rollback after a failure undoes it, and answers nobody",
       {.revision = 4, .inputs = "old", .pin = Undoing{"bad", kFailedUpgrade}},
       [](Progress& p) {
         p.put_in_force(6, "bad", Undoing{"bad", kFailedUpgrade}, "2");
       },
       "6 of bad; undone 5 of bad, dry run Pending"},
      {"inputs that had failed and succeed end their rejection",
       {.revision = 6, .inputs = "bad", .pin = Undone{"bad", kFailedUpgrade}},
       [](Progress& p) { p.put_in_force(7, "bad", Unpinned(), ""); },
       "7 of bad"},
      {"the record says what is in force",
       {.revision = 4, .inputs = "old"},
       [](Progress& p) {
         p.note_unrecorded(true);
         p.put_in_force(5, "new", Unpinned(), "");
       },
       "5 of new"},
      {"other inputs of the same objects end a rollback and an attempt",
       with_attempt(5, RolledBack{"bad"}), [](Progress& p) { p.keep_for("new"); }, "4 of new"},
      {"the attempt at it is there until its record is written", with_attempt(5),
       [](Progress& p) { p.put_in_force(5, "new", Unpinned(), ""); }, "5 of new; attempt 5"},
  });
}

TEST_CASE("A failed attempt is rejected, undone and tried again") {
  check({
      {"at an upgrade", with_attempt(5),
       [](Progress& p) { p.reject("bad", kFailedUpgrade, Phase::kUpgrade); },
       "4 of old; undoing 5 of bad"},
      {"at an install: nothing is in force", with_attempt(5),
       [](Progress& p) { p.reject("bad", kFailedUpgrade, Phase::kInstall); },
       "0 of ; undoing 5 of bad"},
      {"what an install had created is deleted",
       {.pin = Undoing{"bad", {1, "no"}}},
       [](Progress& p) { p.undo_install(); },
       "0 of ; undone 1 of bad, dry run Pending"},
      {"a dry run reproduces the failure",
       {.revision = 6, .inputs = "bad", .pin = Undone{"bad", kFailedUpgrade}},
       [](Progress& p) { p.note_dry_run(DryRun::kRefused); },
       "6 of bad; undone 5 of bad, dry run Refused"},
      {"another attempt at the same inputs fails", with_attempt(7, Undone{"bad", kFailedUpgrade}),
       [](Progress& p) {
         p.reject("bad", {7, "no"}, Phase::kUpgrade);
       },
       "4 of old; undoing 7 of bad"},
  });
}

TEST_CASE("An attempt begins, goes on or is ended by a hook") {
  check({
      {"it begins", {}, [](Progress& p) { p.begin({.revision = 1}); }, "0 of ; attempt 1"},
      {"somebody else has taken its number", with_attempt(5),
       [](Progress& p) { p.renumber_attempt(6); }, "4 of old; attempt 6"},
      {"a hook fails", with_attempt(5), [](Progress& p) { p.end_attempt("hook"); },
       "4 of old; attempt 5 ended: hook"},
      {"it is given up", with_attempt(5), [](Progress& p) { p.drop_attempt(); }, "4 of old"},
  });
  Progress progress;
  CHECK_FALSE(progress.has_begun());
  CHECK_FALSE(progress.has_ended());
  progress.begin({.revision = 1});
  CHECK(progress.has_begun());
  progress.end_attempt("hook");
  CHECK_FALSE(progress.has_begun());
  CHECK(progress.has_ended());
}

TEST_CASE("A request for a rollback is answered, refused, withdrawn or made again") {
  const Progress::Stored refused = {
      .revision = 4, .handled_rollback = "9", .rollback_refusal = "x"};
  check({
      {"refused",
       {.revision = 4},
       [](Progress& p) { p.refuse_rollback("9", "no such"); },
       "4 of ; answered 9; refused: no such"},
      {"withdrawn", refused, [](Progress& p) { p.withdraw_rollback(); }, "4 of "},
      {"made again: the reason stays until there is another", refused,
       [](Progress& p) { p.reopen_rollback(); }, "4 of ; refused: x"},
      {"withdrawn after its hook has failed, and with it the attempt", with_attempt(5),
       [](Progress& p) {
         p.end_attempt("hook");
         p.fail({Phase::kUpgrade, base::Error(base::ErrorCode::kInvalid, "hook")});
         p.withdraw_failed_rollback();
       },
       "4 of old"},
      {"of another operator: it was answered",
       {.revision = 4},
       [](Progress& p) {
         p.answer_rollback("2");
         p.take_over_rollback("bad", "bad too");
       },
       "4 of bad too; rolled back from bad; answered 2"},
  });
}

TEST_CASE("A pin keeps the revision in force, once there is one") {
  Progress progress({.revision = 4, .pin = Undoing{"bad", kFailedUpgrade}});
  CHECK(progress.pinned_revision() == 0);
  CHECK(*progress.rejected_inputs() == "bad");
  progress.put_in_force(6, "bad", progress.pin(), "");
  CHECK(progress.pinned_revision() == 6);
  progress.renumber(7);  // Its record was lost.
  CHECK(progress.pinned_revision() == 7);
  CHECK(Progress({.revision = 4}).pinned_revision() == 0);
  CHECK(Progress().rejected_inputs() == nullptr);
  CHECK(Progress().failed_attempt() == nullptr);
}

}  // namespace
}  // namespace chartwright::op
