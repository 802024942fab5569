// SPDX-License-Identifier: Apache-2.0
#include "operator/candidate_hooks.h"

namespace chartwright::op {

using Applied = History::Applied;

bool CandidateHooks::any(const Candidate& candidate) const {
  return hooks_.any(candidate.hooks, event_of(candidate, Applied::kNo)) ||
         hooks_.any(candidate.hooks, event_of(candidate, Applied::kYes));
}

base::Status CandidateHooks::run(const Candidate& candidate, Applied applied) {
  if (!subject_.progress.attempt()) {
    return {};
  }
  const bool before = applied == Applied::kNo;
  base::Status ran = hooks_.run(candidate.hooks, event_of(candidate, applied));
  if (before && !ran.ok() && wait_.waiting() && subject_.progress.revision() > 0) {
    CW_TRY_VOID(upkeep_.keep());  // A hook may take long.
  }
  if (before && ran.ok()) {
    subject_.progress.enter_phase("apply");
  }
  if (hooks_.failed()) {
    CW_TRY_VOID(history_.record_failure(candidate, ran.error().message(), applied));
    hooks_.tidy_failed();
  }
  return ran;
}

release::HookEvent CandidateHooks::event_of(const Candidate& candidate, Applied applied) const {
  using release::HookEvent;
  const bool before = applied == Applied::kNo;
  if (candidate.rollback) {
    return before ? HookEvent::kPreRollback : HookEvent::kPostRollback;
  }
  if (subject_.progress.revision() == 0) {
    return before ? HookEvent::kPreInstall : HookEvent::kPostInstall;
  }
  return before ? HookEvent::kPreUpgrade : HookEvent::kPostUpgrade;
}

}  // namespace chartwright::op
