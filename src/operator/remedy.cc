// SPDX-License-Identifier: Apache-2.0
#include "operator/remedy.h"

#include <chrono>
#include <utility>

#include "base/unicode.h"
#include "resource/failure_policy.h"

namespace chartwright::op {
namespace {

constexpr size_t kReasonBytesMax = 4096;
// Controllers, such as that of quotas, see that the objects are gone.
constexpr base::Duration kFirstDryRun = std::chrono::seconds(1);

// No dry run shows what a hook would do.
FailedAttempt failed_attempt(const Attempt& attempt, const Failure& failure) {
  return {attempt.revision, base::shortened(failure.error.to_string(), kReasonBytesMax),
          attempt.failure.empty() ? DryRun::kPending : DryRun::kAccepted};
}

}  // namespace

base::Status Remedy::prepare() {
  CW_TRY(policy_, failure_policy(subject_.cr, subject_.watch));
  return {};
}

bool Remedy::needs_record() const {
  return subject_.progress.revision() == 0 ? policy_.install != bundle::InstallFailure::kHold
                                           : policy_.upgrade != bundle::UpgradeFailure::kHold;
}

// Objects that were taken over were there before: their deletion would not undo that.
bool Remedy::undoes(const Failure& failure) const {
  return is_to_be_undone(failure) && subject_.adoption == release::Adoption::kRefuse;
}

void Remedy::explain(Failure& failure) const {
  if (is_to_be_undone(failure) && !undoes(failure)) {
    std::string help = failure.error.help();
    help += help.empty() ? "" : " ";
    help += "It is not undone while " + std::string(kAdopt) +
            " is set: objects that were there before would be deleted.";
    failure.error = base::Error(failure.error).with_help(std::move(help));
  }
}

bool Remedy::is_to_be_undone(const Failure& failure) const {
  if (!subject_.progress.attempt() || !failure.half_applied || !is_refusal(failure.error)) {
    return false;
  }
  if (failure.phase == Phase::kInstall) {
    return policy_.install == bundle::InstallFailure::kUninstall;
  }
  return failure.phase == Phase::kUpgrade && policy_.upgrade == bundle::UpgradeFailure::kRollback &&
         parts_.history.last_deployed() > 0;
}

base::Status Remedy::reject(const Candidate& candidate, const Failure& failure) {
  if (candidate.rollback || !undoes(failure)) {
    return {};
  }
  FailedAttempt failed = failed_attempt(*subject_.progress.attempt(), failure);
  if (failed.dry_run == DryRun::kPending) {
    CW_TRY_VOID(parts_.history.record_failure(candidate, failed.why, History::Applied::kNo));
  }
  pin(std::move(failed), failure);
  return {};
}

void Remedy::reject_ended(const Failure& failure) {
  if (failure.rollback.empty() && undoes(failure)) {
    pin(failed_attempt(*subject_.progress.attempt(), failure), failure);
  }
}

void Remedy::pin(FailedAttempt failed, const Failure& failure) {
  if (failure.phase == Phase::kInstall) {
    parts_.notes.clear();
  }
  subject_.context.log.warn("The failed attempt is undone",
                            {{"release", subject_.owner.name}, {"revision", failed.revision}});
  parts_.progress.reject(parts_.inputs.attempt_digest, std::move(failed), failure.phase);
}

bool Remedy::rejects_inputs() const {
  return subject_.progress.failed_attempt() != nullptr && pin_holds(subject_, parts_.inputs);
}

bool Remedy::is_due() const { return subject_.progress.is_undoing() && rejects_inputs(); }

base::Result<std::optional<Rollback>> Remedy::rollback() const {
  const int target = parts_.history.last_deployed();
  if (target > 0) {
    return std::optional(Rollback{std::to_string(target), true});
  }
  if (subject_.progress.revision() > 0) {
    return base::Error(base::ErrorCode::kInvalid,
                       "cannot roll back: status.history has no deployed revision");
  }
  return std::optional<Rollback>();
}

base::Status Remedy::uninstall() {
  CW_TRY_VOID(parts_.uninstall.undo_install(subject_.progress.failed_attempt()->revision));
  parts_.progress.undo_install();
  return {};
}

base::Result<bool> Remedy::accepts(const std::vector<release::Desired>& desired) {
  base::Status rehearsed = parts_.applier.rehearse(desired, release::Foresight::kAll);
  if (!rehearsed.ok() && !is_refusal(rehearsed.error())) {
    return std::move(rehearsed).error();
  }
  if (subject_.progress.failed_attempt()->dry_run == DryRun::kPending) {
    parts_.progress.note_dry_run(rehearsed.ok() ? DryRun::kAccepted : DryRun::kRefused);
    return false;
  }
  return rehearsed.ok();
}

std::optional<Failure> Remedy::failure() const {
  if (!rejects_inputs()) {
    return std::nullopt;
  }
  const FailedAttempt& failed = *subject_.progress.failed_attempt();
  Failure failure{subject_.progress.revision() > 0 ? Phase::kUpgrade : Phase::kInstall,
                  base::Error(base::ErrorCode::kInvalid, failed.why), parts_.inputs.attempt};
  const base::MonotonicTime now = subject_.services.clock.monotonic();
  switch (failed.dry_run) {
    case DryRun::kPending:
      failure.retry_at = now + kFirstDryRun;
      break;
    case DryRun::kRefused:
      failure.retry_at = retry_time(failure, now, subject_.owner.uid);
      break;
    case DryRun::kAccepted:
      failure.retry_at.reset();
      break;
  }
  return failure;
}

}  // namespace chartwright::op
