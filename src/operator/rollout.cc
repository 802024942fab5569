// SPDX-License-Identifier: Apache-2.0
#include "operator/rollout.h"

#include <algorithm>

#include "subject/verdicts.h"

namespace chartwright::op {

using base::Error;
using base::ErrorCode;

// A record that does not fit is refused before the first effect.
base::Status Rollout::run(const Candidate& candidate) {
  const Recording recording = recording_of(candidate);
  if (recording == Recording::kFirst) {
    CW_TRY_VOID(look_for_release());
    CW_TRY_VOID(parts_.attempts.prepare(candidate));
  } else if (recording == Recording::kLast) {
    CW_TRY_VOID(parts_.history.prepare(candidate));
  }
  if (!parts_.history.is_in_force(candidate)) {
    CW_TRY_VOID(parts_.takeover.complete_children());
  }
  // Also when it goes on: a CRD may have been deleted while a hook ran.
  CW_TRY_VOID(parts_.definitions.install(candidate.definitions));
  CW_TRY(const auto desired, parts_.applier.desired_from(candidate));
  if (has_unknown_child(desired)) {
    CW_TRY_VOID(look_for_release());
  }
  if (candidate.reach == release::Reach::kOwnNamespace &&
      std::ranges::any_of(desired, [this](const release::Desired& one) {
        return is_elsewhere(parts_.subject, one.ref);
      })) {
    return beyond_reach(parts_.subject, parts_.subject.progress.revision());
  }
  CW_TRY_VOID(parts_.applier.guard_empty(desired));
  CW_TRY_VOID(parts_.applier.check_room(desired));
  CW_TRY_VOID(parts_.uninstall.ensure_finalizer(desired, candidate.hooks));
  if (recording == Recording::kFirst) {
    CW_TRY_VOID(parts_.attempts.begin(candidate));
  }
  return carry_out(candidate, desired);
}

base::Status Rollout::look_for_release() {
  CW_TRY(found_release_, parts_.takeover.run_late());
  if (found_release_) {
    return Error(ErrorCode::kConflict, "there is a release of that name already");
  }
  return {};
}

// Such as a claim that was restored from a backup: its owner is named, whatever the uid.
bool Rollout::has_unknown_child(const std::vector<release::Desired>& desired) const {
  const Subject& subject = parts_.subject;
  return std::ranges::any_of(desired, [&subject](const release::Desired& one) {
    const auto live =
        subject.state.inventory.contains(one.ref) ? std::nullopt : live_of(subject, one.ref);
    return live && live->claim(subject.owner) == release::Claim::kOurs;
  });
}

base::Status Rollout::carry_out(const Candidate& candidate,
                                const std::vector<release::Desired>& desired) {
  CW_TRY_VOID(parts_.hooks.run(candidate, History::Applied::kNo));
  CW_TRY_VOID(parts_.applier.announce(desired));
  applying_ = !parts_.history.is_in_force(candidate);
  Progress& progress = parts_.progress;
  progress.note_unrecorded(progress.is_unrecorded() || applying_);
  CW_TRY_VOID(parts_.applier.execute(desired, release::Role::kChild));
  if (applying_ && !progress.attempt() && !parts_.applier.acted()) {
    CW_TRY_VOID(parts_.live.write_progress());  // No child would show that there may be a record.
  }
  CW_TRY_VOID(parts_.hooks.run(candidate, History::Applied::kYes));
  CW_TRY_VOID(parts_.history.record(candidate));
  applying_ = false;
  progress.note_unrecorded(false);
  return {};
}

// A candidate that anybody would render again needs no record before it is applied, unless a
// deletion has to find the hooks of an install that fails.
Rollout::Recording Rollout::recording_of(const Candidate& candidate) const {
  const bool is_new = candidate.rollback || !parts_.history.is_in_force(candidate);
  if (parts_.subject.progress.attempt() || !is_new) {
    return Recording::kNone;
  }
  const bool comes_first =
      !candidate.repeatable || (!candidate.rollback && parts_.remedy.needs_record()) ||
      parts_.hooks.any(candidate) ||
      (parts_.subject.progress.revision() == 0 && Uninstall::has_hooks(candidate.hooks));
  return comes_first ? Recording::kFirst : Recording::kLast;
}

}  // namespace chartwright::op
