// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace chartwright::op {

/// The goal of a reconcile.
enum class Goal : uint8_t {
  kKeep,      ///< The revision in force stays; drift is repaired.
  kRender,    ///< The inputs are new: render and apply them.
  kRollback,  ///< Replay an earlier revision.
  kUndo,      ///< A failed attempt is to be undone.
};

std::string_view to_string(Goal goal);  ///< "Keep", ...

/// Why a reconcile has its goal.
enum class GoalReason : uint8_t {
  kSettled,            ///< The revision in force is that of today's inputs.
  kNewInputs,          ///< It is that of other inputs.
  kAttemptGoesOn,      ///< An attempt has begun, and has not ended.
  kTriedAgain,         ///< Inputs that have failed may succeed by now, or somebody asks.
  kInputsFailed,       ///< Today's inputs have failed, and it is not time to try them again.
  kRollbackRequested,  ///< A person asks for an earlier revision.
  kRolledBack,         ///< A person has asked for the revision in force.
  kRollbackEnded,      ///< The rollback is not asked for any more, or the spec has changed.
  kAttemptFailed,      ///< An attempt has failed, and the policy undoes it.
  kUndoFailed,         ///< It could not be undone, and it is not time to try that again.
  kAttemptUndone,      ///< Today's inputs have failed, and were undone.
};

std::string_view to_string(GoalReason reason);  ///< "Settled", ...
/// Returns a reason for people: "a rollback is asked for", ...
std::string_view explanation(GoalReason reason);
/// Reports whether the reason needs no words where what is done is told: a new revision is that of
/// new inputs, and nothing is done about the revision of today's.
bool is_usual(GoalReason reason);

/// All that the next goal of a custom resource depends on: which revision is in force, and how the
/// inputs of today have fared.
struct Standing {
  /// The revision that is in force instead of that of the spec.
  enum class Pin : uint8_t {
    kNone,
    kEnded,    ///< There is one for other inputs, or for a request that was withdrawn.
    kAsked,    ///< A rollback by request is in force.
    kUndoing,  ///< A failed attempt is to be undone.
    kUndone,   ///< A failed attempt was undone.
  };
  /// The failure of the last attempt.
  enum class Failure : uint8_t {
    kNone,
    kOther,  ///< Other inputs failed, or somebody has asked for another attempt since.
    kWaits,  ///< These inputs failed; it is not time to try them again.
    kDue,    ///< These inputs failed; they may be tried again.
  };

  Pin pin = Pin::kNone;
  Failure failure = Failure::kNone;
  bool undo_failed = false;      ///< The failure is one of undoing another.
  bool rollback_is_due = false;  ///< A person asks for one, and it can be done.
  bool attempt_goes_on = false;  ///< One has begun, and no hook has ended it.
  bool inputs_in_force = false;  ///< The revision in force is that of today's inputs.
};

struct Decision {
  Goal goal;
  GoalReason reason;

  bool operator==(const Decision&) const = default;
};

/// Returns the goal of a reconcile. Pure.
Decision decide(const Standing& standing);

}  // namespace chartwright::op
