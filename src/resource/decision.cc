// SPDX-License-Identifier: Apache-2.0
#include "resource/decision.h"

namespace chartwright::op {
namespace {

// Where no pin holds, the spec decides.
Decision decide_by_inputs(const Standing& standing) {
  using Failure = Standing::Failure;
  if (standing.failure == Failure::kWaits) {
    return {Goal::kKeep, GoalReason::kInputsFailed};
  }
  if (standing.attempt_goes_on) {
    return {Goal::kRender, GoalReason::kAttemptGoesOn};
  }
  if (standing.failure == Failure::kDue) {
    return {Goal::kRender, GoalReason::kTriedAgain};
  }
  if (!standing.inputs_in_force) {
    return {Goal::kRender, GoalReason::kNewInputs};
  }
  if (standing.pin == Standing::Pin::kEnded) {
    return {Goal::kRender, GoalReason::kRollbackEnded};
  }
  if (standing.failure == Failure::kOther) {
    return {Goal::kRender, GoalReason::kTriedAgain};
  }
  return {Goal::kKeep, GoalReason::kSettled};
}

}  // namespace

std::string_view to_string(Goal goal) {
  switch (goal) {
    case Goal::kKeep:
      return "Keep";
    case Goal::kRender:
      return "Render";
    case Goal::kRollback:
      return "Rollback";
    case Goal::kUndo:
      return "Undo";
  }
  return "";
}

std::string_view to_string(GoalReason reason) {
  switch (reason) {
    case GoalReason::kSettled:
      return "Settled";
    case GoalReason::kNewInputs:
      return "NewInputs";
    case GoalReason::kAttemptGoesOn:
      return "AttemptGoesOn";
    case GoalReason::kTriedAgain:
      return "TriedAgain";
    case GoalReason::kInputsFailed:
      return "InputsFailed";
    case GoalReason::kRollbackRequested:
      return "RollbackRequested";
    case GoalReason::kRolledBack:
      return "RolledBack";
    case GoalReason::kRollbackEnded:
      return "RollbackEnded";
    case GoalReason::kAttemptFailed:
      return "AttemptFailed";
    case GoalReason::kUndoFailed:
      return "UndoFailed";
    case GoalReason::kAttemptUndone:
      return "AttemptUndone";
  }
  return "";
}

Decision decide(const Standing& standing) {
  const bool waits = standing.failure == Standing::Failure::kWaits;
  if (standing.rollback_is_due) {
    return {Goal::kRollback, GoalReason::kRollbackRequested};
  }
  switch (standing.pin) {
    case Standing::Pin::kUndoing:
      return standing.undo_failed && waits ? Decision{Goal::kKeep, GoalReason::kUndoFailed}
                                           : Decision{Goal::kUndo, GoalReason::kAttemptFailed};
    case Standing::Pin::kUndone:
      return waits ? Decision{Goal::kKeep, GoalReason::kAttemptUndone}
                   : Decision{Goal::kRender, GoalReason::kTriedAgain};
    case Standing::Pin::kAsked:
      return {Goal::kKeep, GoalReason::kRolledBack};
    case Standing::Pin::kNone:
    case Standing::Pin::kEnded:
      break;
  }
  return decide_by_inputs(standing);
}

}  // namespace chartwright::op
