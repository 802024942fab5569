// SPDX-License-Identifier: Apache-2.0
#include "operator/goal.h"

#include "subject/news.h"

namespace chartwright::op {

Goal GoalChoice::choose() {
  if (rollback_is_due()) {
    return Goal::kRollback;
  }
  const CrState& state = subject_.state;
  if (remedy_.is_due()) {
    return state.failure && state.failure->undoing && !may_retry() ? Goal::kKeep : Goal::kUndo;
  }
  if (pin_holds(subject_, inputs_)) {
    return remedy_.rejects_inputs() && may_retry() ? Goal::kRender : Goal::kKeep;
  }
  const bool current =
      state.inputs == inputs_.digest && !state.pin && !state.failure && !has_begun();
  return current || !may_retry() ? Goal::kKeep : Goal::kRender;
}

bool GoalChoice::has_begun() const {
  const std::optional<Attempt>& attempt = subject_.state.attempt;
  return attempt && attempt->failure.empty();
}

bool GoalChoice::may_retry() const {
  const std::optional<Failure>& failure = subject_.state.failure;
  return !failure || failure->attempt != inputs_.attempt ||
         (failure->retry_at && *failure->retry_at <= subject_.services.clock.monotonic());
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
  return state.failure && state.failure->rollback == request && may_retry() &&
         is_settled_for(subject_, inputs_);
}

void GoalChoice::refuse_rollback(const base::Error& error) {
  CrState& state = subject_.state;
  state.handled_rollback = requested_rollback(subject_.cr).value_or("");
  state.rollback_refusal = error.message();
  tell(subject_, NoticeType::kWarning, "RollbackRefused", error.message());
}

}  // namespace chartwright::op
