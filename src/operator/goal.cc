// SPDX-License-Identifier: Apache-2.0
#include "operator/goal.h"

#include "subject/news.h"

namespace chartwright::op {

Decision GoalChoice::choose() { return decide(standing()); }

Standing GoalChoice::standing() {
  const bool rollback = rollback_is_due();  // It may end a failure.
  const CrState& state = subject_.state;
  return {pin(),    failure(),   state.progress.failure() && state.progress.failure()->undoing,
          rollback, has_begun(), state.progress.inputs() == inputs_.digest};
}

Standing::Pin GoalChoice::pin() const {
  const Progress& progress = subject_.progress;
  if (!progress.is_pinned()) {
    return Standing::Pin::kNone;
  }
  if (!pin_holds(subject_, inputs_)) {
    return Standing::Pin::kEnded;
  }
  if (progress.failed_attempt() == nullptr) {
    return Standing::Pin::kAsked;
  }
  return progress.is_undoing() ? Standing::Pin::kUndoing : Standing::Pin::kUndone;
}

Standing::Failure GoalChoice::failure() const {
  const std::optional<Failure>& failure = subject_.progress.failure();
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

bool GoalChoice::has_begun() const { return subject_.progress.has_begun(); }

// A request is answered once: by a rollback, or by the reason why there is none.
bool GoalChoice::rollback_is_due() {
  const std::string request = requested_rollback(subject_.cr);
  if (progress_.failure() && !progress_.failure()->rollback.empty() &&
      progress_.failure()->rollback != request) {
    progress_.withdraw_failed_rollback();
  }
  if (request.empty()) {
    progress_.withdraw_rollback();
    return false;
  }
  if (asks_again(request)) {
    progress_.reopen_rollback();
  }
  if (request == progress_.handled_rollback() || progress_.revision() == 0) {
    return false;
  }
  auto target = candidates_.rollback_target(request);
  if (!target.ok()) {
    refuse_rollback(target.error());
  }
  return target.ok();
}

// Reports whether the hook of the rollback has failed, and nothing but a request for another try
// has changed since.
bool GoalChoice::asks_again(std::string_view request) const {
  const CrState& state = subject_.state;
  return state.progress.failure() && state.progress.failure()->rollback == request &&
         failure() != Standing::Failure::kWaits && is_settled_for(subject_, inputs_);
}

void GoalChoice::refuse_rollback(const base::Error& error) {
  progress_.refuse_rollback(requested_rollback(subject_.cr), error.message());
  tell(subject_, NoticeType::kWarning, "RollbackRefused", error.message());
}

}  // namespace chartwright::op
