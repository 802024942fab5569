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

std::string_view explanation(GoalReason reason) {
  switch (reason) {
    case GoalReason::kSettled:
      return "the revision in force is that of today's spec and chart";
    case GoalReason::kNewInputs:
      return "the spec, the chart or what it looks up is new";
    case GoalReason::kAttemptGoesOn:
      return "an attempt has begun, and goes on";
    case GoalReason::kTriedAgain:
      return "today's spec and chart have failed before, and may be tried again";
    case GoalReason::kInputsFailed:
      return "today's spec and chart have failed, and it is not time to try them again";
    case GoalReason::kRollbackRequested:
      return "a rollback is asked for";
    case GoalReason::kRolledBack:
      return "a rollback is in force, so that today's spec and chart are not";
    case GoalReason::kRollbackEnded:
      return "the rollback is no longer asked for, or the spec has changed since";
    case GoalReason::kAttemptFailed:
      return "an attempt has failed, and is undone";
    case GoalReason::kUndoFailed:
      return "a failed attempt could not be undone, and it is not time to try that again";
    case GoalReason::kAttemptUndone:
      return "today's spec and chart have failed, and were undone";
  }
  return "";
}

bool is_usual(GoalReason reason) {
  return reason == GoalReason::kSettled || reason == GoalReason::kNewInputs;
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
