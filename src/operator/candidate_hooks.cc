// SPDX-License-Identifier: Apache-2.0
#include "operator/candidate_hooks.h"

namespace chartwright::op {

using Applied = History::Applied;

bool CandidateHooks::any(const Candidate& candidate) const {
  return parts_.hooks.any(candidate.hooks, event_of(candidate, Applied::kNo)) ||
         parts_.hooks.any(candidate.hooks, event_of(candidate, Applied::kYes));
}

base::Status CandidateHooks::run(const Candidate& candidate, Applied applied) {
  if (!subject_.progress.attempt()) {
    return {};
  }
  const bool before = applied == Applied::kNo;
  base::Status ran = parts_.hooks.run(candidate.hooks, event_of(candidate, applied));
  if (before && !ran.ok() && parts_.wait.waiting() && subject_.progress.revision() > 0) {
    CW_TRY_VOID(parts_.drift.keep());  // A hook may take long.
  }
  if (before && ran.ok()) {
    parts_.progress.enter_phase("apply");
  }
  if (parts_.hooks.failed()) {
    CW_TRY_VOID(parts_.history.record_failure(candidate, ran.error().message(), applied));
    parts_.hooks.tidy_failed();
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
