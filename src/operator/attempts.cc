// SPDX-License-Identifier: Apache-2.0
#include "operator/attempts.h"

#include <utility>

#include "revision/keyed_digest.h"

namespace chartwright::op {
namespace {

// A revision whose hooks after the install fail is in force already.
Phase phase_of_ended(const CrState& state) {
  const bool installs =
      state.progress.revision() == 0 ||
      state.progress.attempt()->phase == to_string(release::HookEvent::kPostInstall);
  return installs ? Phase::kInstall : Phase::kUpgrade;
}

}  // namespace

// Lookups do not count: what the chart found is in the manifest.
std::string Attempts::identity(const std::optional<Rollback>& rollback) const {
  std::string text = parts_.digests.inputs().chart_key + retry_requests(parts_.subject.cr);
  if (rollback) {
    text.append("\n").append(rollback->on_failure ? "failed" : kRollbackTo);
    text.append(" ").append(rollback->target);
  }
  return text;
}

base::Result<std::string> Attempts::digest_of(const std::string& key,
                                              const std::optional<Rollback>& rollback,
                                              const std::string& candidate) const {
  return release::keyed_digest(key, identity(rollback) + "\n" + candidate);
}

base::Result<std::optional<release::Revision>> Attempts::record() {
  CW_TRY(release::Finding<release::Revision> finding,
         parts_.records.find_signed(parts_.subject.progress.attempt()->revision));
  const bool is_whole = finding.found() && finding.thing().reach == release::Reach::kEverything;
  return is_whole ? std::optional(std::move(finding.thing())) : std::nullopt;
}

// The record of the attempt has a later number than the status says if others took that one, and
// the process ended before the status said so. Others' records have no key, and stay as they are.
base::Result<std::optional<release::Revision>> Attempts::find_record() {
  CW_TRY(std::optional<release::Revision> known, record());
  if (known && known->key.empty()) {
    known.reset();
  }
  if (known && release::is_pending(known->status)) {
    return known;
  }
  CW_TRY(std::optional<release::Revision> later,
         parts_.records.store().pending_after(parts_.subject.progress.attempt()->revision));
  if (!later) {
    return known;
  }
  parts_.progress.renumber_attempt(later->number);
  return later;
}

// A record that was changed is not that of the attempt.
base::Result<bool> Attempts::is_asked_for(const release::Revision& revision,
                                          const std::optional<Rollback>& rollback) const {
  if (revision.key.empty()) {
    return false;
  }
  CW_TRY(const std::vector<std::string> contents, op::digests_of(revision));
  for (const std::string& content : contents) {
    CW_TRY(const std::string digest, digest_of(revision.key, rollback, content));
    if (digest == parts_.subject.progress.attempt()->digest) {
      return true;
    }
  }
  return false;
}

base::Result<bool> Attempts::is_of_today(const release::Revision& revision) const {
  const std::optional<Attempt>& attempt = parts_.subject.progress.attempt();
  if (!attempt || attempt->revision != revision.number) {
    return false;
  }
  return is_asked_for(revision, std::nullopt);
}

// Before the first hook it may not have been written yet.
void Attempts::warn_of_loss() const {
  const Attempt& attempt = *parts_.subject.progress.attempt();
  if (attempt.hooks.done > 0 || !attempt.hooks.uid.empty()) {
    parts_.subject.context.log.warn(
        "The record of an attempt is lost: the attempt begins anew, and its hooks run again",
        {{"release", parts_.subject.owner.name}, {"revision", attempt.revision}});
  }
}

base::Result<std::optional<Candidate>> Attempts::resume(const std::optional<Rollback>& rollback) {
  const CrState& state = parts_.subject.state;
  if (!state.progress.attempt()) {
    return std::optional<Candidate>();
  }
  std::optional<release::Revision> revision;
  if (state.progress.attempt()->failure.empty()) {
    CW_TRY(revision, find_record());
    if (!revision) {
      warn_of_loss();
    }
  }
  bool goes_on = false;
  if (revision) {
    CW_TRY(goes_on, is_asked_for(*revision, rollback));
  }
  if (!goes_on) {
    CW_TRY_VOID(conclude(revision));
    return std::optional<Candidate>();
  }
  parts_.key = revision->key;
  CW_TRY(Candidate candidate, parts_.candidates.restore(*std::move(revision), rollback));
  CW_TRY(candidate.digest, op::digest_of(state.key, candidate.manifest, candidate.hooks));
  return std::optional(std::move(candidate));
}

base::Status Attempts::prepare(const Candidate& candidate) {
  CW_TRY(prepared_, parts_.history.pending(candidate));
  return {};
}

base::Status Attempts::begin(const Candidate& candidate) {
  release::EncodedRevision pending = *std::exchange(prepared_, std::nullopt);
  Attempt attempt;
  attempt.revision = pending.revision.number;
  attempt.content = candidate.digest;
  attempt.phase = "apply";
  CW_TRY(attempt.digest, digest_of(parts_.key, candidate.rollback, candidate.digest));
  parts_.progress.begin(std::move(attempt));
  CW_TRY_VOID(parts_.live.write_progress());
  release::RevisionStore store = parts_.records.store();
  CW_TRY(const int number, store.append(std::move(pending), parts_.history.last_deployed()));
  parts_.history.enter_passed_over(store);
  if (number != parts_.progress.attempt()->revision) {
    // Somebody else has a record of the other one.
    parts_.progress.renumber_attempt(number);
    return parts_.live.write_progress();
  }
  return {};
}

base::Status Attempts::abandon() {
  std::optional<release::Revision> revision;
  if (parts_.subject.progress.attempt()->failure.empty()) {
    CW_TRY(revision, find_record());
  }
  return conclude(revision);
}

base::Status Attempts::conclude(const std::optional<release::Revision>& revision) {
  if (revision) {
    CW_TRY_VOID(parts_.history.give_up(*revision));
  }
  parts_.progress.drop_attempt();
  return {};
}

base::Result<std::optional<Failure>> Attempts::ended() {
  const CrState& state = parts_.subject.state;
  // Needs no signature: who forges a record to this end has only the inputs held back.
  CW_TRY(const release::Finding<release::Revision> revision,
         parts_.records.store().find(state.progress.attempt()->revision));
  if (!revision.found() || revision.thing().number != state.progress.attempt()->revision) {
    return std::optional<Failure>();
  }
  std::optional<Rollback> requested;
  if (std::string request = requested_rollback(parts_.subject.cr); !request.empty()) {
    requested = Rollback{std::move(request)};
  }
  for (const auto& rollback : {std::optional<Rollback>(), requested}) {
    CW_TRY(const bool is_current, is_asked_for(revision.thing(), rollback));
    if (is_current) {
      Failure failure{phase_of_ended(state), hook_failure(state.progress.attempt()->failure),
                      parts_.digests.inputs().attempt};
      failure.retry_at.reset();
      failure.half_applied = state.progress.attempt()->revision == state.progress.revision();
      failure.rollback = rollback ? rollback->target : "";
      return std::optional(std::move(failure));
    }
  }
  return std::optional<Failure>();
}

}  // namespace chartwright::op
