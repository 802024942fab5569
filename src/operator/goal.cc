// SPDX-License-Identifier: Apache-2.0
#include "operator/goal.h"

#include "subject/news.h"

namespace chartwright::op {

Decision GoalChoice::choose() { return decide(standing()); }

Standing GoalChoice::standing() {
  const bool rollback = rollback_is_due();  // It may end a failure.
  const CrState& state = subject_.state;
  return {pin(),    failure(),   state.failure && state.failure->undoing,
          rollback, has_begun(), state.inputs == inputs_.digest};
}

Standing::Pin GoalChoice::pin() const {
  const std::optional<Pin>& pin = subject_.state.pin;
  if (!pin) {
    return Standing::Pin::kNone;
  }
  if (!pin_holds(subject_, inputs_)) {
    return Standing::Pin::kEnded;
  }
  if (!pin->failed) {
    return Standing::Pin::kAsked;
  }
  return pin->failed->undone ? Standing::Pin::kUndone : Standing::Pin::kUndoing;
}

Standing::Failure GoalChoice::failure() const {
  const std::optional<Failure>& failure = subject_.state.failure;
  if (!failure) {  // Somebody may have asked for another attempt while no process ran.
    return in_force_has_failed(subject_.state) ? Standing::Failure::kOther
                                               : Standing::Failure::kNone;
  }
  if (failure->attempt != inputs_.attempt) {
    return Standing::Failure::kOther;
  }
  const bool is_due =
      failure->retry_at && *failure->retry_at <= subject_.services.clock.monotonic();
  return is_due ? Standing::Failure::kDue : Standing::Failure::kWaits;
}

bool GoalChoice::has_begun() const {
  const std::optional<Attempt>& attempt = subject_.state.attempt;
  return attempt && attempt->failure.empty();
}

// A request is answered once: by a rollback, or by the reason why there is none.
bool GoalChoice::rollback_is_due() {
  CrState& state = subject_.state;
  const auto request = requested_rollback(subject_.cr);
  if (state.failure && !state.failure->rollback.empty() && state.failure->rollback != request) {
    state.failure.reset();
    state.attempt.reset();
  }
  if (!request) {
    state.handled_rollback.clear();
    state.rollback_refusal.clear();
    return false;
  }
  if (asks_again(*request)) {
    state.handled_rollback.clear();
  }
  if (*request == state.handled_rollback || state.revision == 0) {
    return false;
  }
  auto target = candidates_.rollback_target(*request);
  if (!target.ok()) {
    refuse_rollback(target.error());
  }
  return target.ok();
}

// Its hook has failed, and nothing but a request for another try has changed since.
bool GoalChoice::asks_again(std::string_view request) const {
  const CrState& state = subject_.state;
  return state.failure && state.failure->rollback == request &&
         failure() != Standing::Failure::kWaits && is_settled_for(subject_, inputs_);
}

void GoalChoice::refuse_rollback(const base::Error& error) {
  CrState& state = subject_.state;
  state.handled_rollback = requested_rollback(subject_.cr).value_or("");
  state.rollback_refusal = error.message();
  tell(subject_, NoticeType::kWarning, "RollbackRefused", error.message());
}

}  // namespace chartwright::op
