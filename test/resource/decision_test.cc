// SPDX-License-Identifier: Apache-2.0
#include "resource/decision.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace chartwright::op {

std::ostream& operator<<(std::ostream& out, const Decision& decision) {
  return out << to_string(decision.goal) << ", " << to_string(decision.reason);
}

namespace {

using Failed = Standing::Failure;

constexpr bool kFlags[] = {false, true};
constexpr Standing::Pin kPins[] = {Standing::Pin::kNone, Standing::Pin::kEnded,
                                   Standing::Pin::kAsked, Standing::Pin::kUndoing,
                                   Standing::Pin::kUndone};
constexpr Failed kFailures[] = {Failed::kNone, Failed::kOther, Failed::kWaits, Failed::kDue};

std::vector<Standing> with_flags(Standing::Pin pin, Failed failure) {
  std::vector<Standing> all;
  for (const bool undo_failed : kFlags) {
    for (const bool rollback : kFlags) {
      for (const bool goes_on : kFlags) {
        for (const bool in_force : kFlags) {
          all.push_back({pin, failure, undo_failed, rollback, goes_on, in_force});
        }
      }
    }
  }
  return all;
}

std::vector<Standing> every_standing() {
  std::vector<Standing> all;
  for (const Standing::Pin pin : kPins) {
    for (const Failed failure : kFailures) {
      const std::vector<Standing> some = with_flags(pin, failure);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

/// The events after which another decision may be made.
std::vector<Standing> after_any_event(const Standing& standing) {
  std::vector<Standing> next;
  const auto add = [&](const std::function<void(Standing&)>& event) {
    next.push_back(standing);
    event(next.back());
  };
  add([](Standing& s) { s.rollback_is_due = true; });
  add([](Standing& s) {  // The spec changes, or somebody asks for another attempt.
    s.inputs_in_force = false;
    s.pin = s.pin == Standing::Pin::kNone ? Standing::Pin::kNone : Standing::Pin::kEnded;
    s.failure = s.failure == Failed::kNone ? Failed::kNone : Failed::kOther;
  });
  add([](Standing& s) { s.failure = s.failure == Failed::kWaits ? Failed::kDue : s.failure; });
  return next;
}

TEST_CASE("A decision has the reason that a person would give") {
  struct Case {
    Standing standing;
    Decision decision;
  };
  const Standing settled{.inputs_in_force = true};
  const auto with = [&settled](const std::function<void(Standing&)>& change) {
    Standing standing = settled;
    change(standing);
    return standing;
  };
  const std::vector<Case> cases = {
      {settled, {Goal::kKeep, GoalReason::kSettled}},
      {{}, {Goal::kRender, GoalReason::kNewInputs}},
      {{.failure = Failed::kOther}, {Goal::kRender, GoalReason::kNewInputs}},
      {{.failure = Failed::kWaits}, {Goal::kKeep, GoalReason::kInputsFailed}},
      {{.failure = Failed::kDue}, {Goal::kRender, GoalReason::kTriedAgain}},
      {with([](Standing& s) { s.failure = Failed::kOther; }),
       {Goal::kRender, GoalReason::kTriedAgain}},
      {with([](Standing& s) { s.attempt_goes_on = true; }),
       {Goal::kRender, GoalReason::kAttemptGoesOn}},
      {with([](Standing& s) { s.pin = Standing::Pin::kEnded; }),
       {Goal::kRender, GoalReason::kRollbackEnded}},
      {{.pin = Standing::Pin::kEnded}, {Goal::kRender, GoalReason::kNewInputs}},
      {{.pin = Standing::Pin::kAsked}, {Goal::kKeep, GoalReason::kRolledBack}},
      {{.pin = Standing::Pin::kAsked, .rollback_is_due = true},
       {Goal::kRollback, GoalReason::kRollbackRequested}},
      {{.pin = Standing::Pin::kUndoing}, {Goal::kUndo, GoalReason::kAttemptFailed}},
      {{.pin = Standing::Pin::kUndoing, .failure = Failed::kWaits},
       {Goal::kUndo, GoalReason::kAttemptFailed}},
      {{.pin = Standing::Pin::kUndoing, .failure = Failed::kWaits, .undo_failed = true},
       {Goal::kKeep, GoalReason::kUndoFailed}},
      {{.pin = Standing::Pin::kUndoing, .failure = Failed::kDue, .undo_failed = true},
       {Goal::kUndo, GoalReason::kAttemptFailed}},
      {{.pin = Standing::Pin::kUndone, .failure = Failed::kWaits},
       {Goal::kKeep, GoalReason::kAttemptUndone}},
      {{.pin = Standing::Pin::kUndone, .failure = Failed::kDue},
       {Goal::kRender, GoalReason::kTriedAgain}},
  };
  for (const Case& one : cases) {
    CHECK(decide(one.standing) == one.decision);
  }
}

TEST_CASE("Each standing has a goal that is safe, and each that waits is left by an event") {
  size_t seen = 0;
  for (const Standing& standing : every_standing()) {
    const Decision decision = decide(standing);
    const bool waits = standing.failure == Failed::kWaits;
    CAPTURE(++seen, decision);
    // A request comes first, and is the only way to a rollback.
    CHECK((decision.goal == Goal::kRollback) == standing.rollback_is_due);
    // Only a failed attempt is undone; what failed is not tried again before its time.
    CHECK((decision.goal != Goal::kUndo || standing.pin == Standing::Pin::kUndoing));
    CHECK_FALSE((decision.goal == Goal::kRender && waits));
    CHECK_FALSE((decision.goal == Goal::kUndo && waits && standing.undo_failed));
    // A rollback holds against the spec, and what failed comes back only when it is due.
    CHECK_FALSE((decision.goal == Goal::kRender && standing.pin == Standing::Pin::kAsked));
    // Nothing is done where nothing is new.
    const bool is_settled = decision.reason == GoalReason::kSettled;
    CHECK(is_settled ==
          (standing.inputs_in_force && !standing.attempt_goes_on && !standing.rollback_is_due &&
           standing.pin == Standing::Pin::kNone && standing.failure == Failed::kNone));
    const std::vector<Standing> next = after_any_event(standing);
    CHECK((decision.goal != Goal::kKeep || std::ranges::any_of(next, [](const Standing& s) {
             return decide(s).goal != Goal::kKeep;
           })));
  }
  CHECK(seen == 320);
}

}  // namespace
}  // namespace chartwright::op
