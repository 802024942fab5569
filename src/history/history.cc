// SPDX-License-Identifier: Apache-2.0
#include "history/history.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/unicode.h"
#include "subject/news.h"
#include "subject/record_meter.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using release::RevisionStatus;
using release::to_string;

RevisionStatus pending_status(const Candidate& candidate, bool is_first) {
  if (candidate.rollback) {
    return RevisionStatus::kPendingRollback;
  }
  return is_first ? RevisionStatus::kPendingInstall : RevisionStatus::kPendingUpgrade;
}

/// The line in the log, and the reason of the Event.
struct Deployment {
  std::string_view line;
  std::string_view reason;
};

Deployment deployment_of(const Candidate& candidate, bool is_first) {
  if (candidate.rollback) {
    return {"Rolled back release", "RolledBack"};
  }
  return is_first ? Deployment{"Installed release", "Installed"}
                  : Deployment{"Upgraded release", "Upgraded"};
}

/// A record has values as JSON, in which numbers have no types.
std::string text_of_values(const value::Value& values) {
  return values.is_nil() ? "{}" : value::to_json(values, value::JsonEscape::kNone).value_or("");
}

}  // namespace

const HistoryItem* History::in_force() const {
  return in_force_has_failed(subject_.state) ? nullptr : line_in_force(subject_.state);
}

bool History::is_in_force(const Candidate& candidate) const {
  const HistoryItem* item = in_force();
  if (item == nullptr || candidate.alters_externals) {
    return false;
  }
  if (item->digest == candidate.digest || candidate.hooks.empty()) {
    return item->digest == candidate.digest;
  }
  const auto former = former_digest_of(subject_.state.key, candidate.manifest, candidate.hooks);
  return former.ok() && item->digest == *former;
}

// Which of the values reach an external only its calls show. So all of them count.
base::Status History::compare_values(Candidate& candidate) {
  if (subject_.watch.bundle.externals.empty() || !is_in_force(candidate)) {
    return {};
  }
  const auto known = records_.find(subject_.progress.revision());
  if (!known.ok() && known.error().code() == base::ErrorCode::kBudget) {
    return {};
  }
  if (!known.ok()) {
    return known.error();
  }
  candidate.alters_externals =
      known->found() && text_of_values(known->thing().config) != text_of_values(candidate.config);
  return {};
}

bool History::has_inputs_in_force(const std::string& digest) const {
  const CrState& state = subject_.state;
  return state.progress.inputs() == digest && !state.progress.is_pinned() && in_force() != nullptr;
}

base::Status History::record(const Candidate& candidate) {
  const CrState& state = subject_.state;
  if (is_in_force(candidate) && !candidate.rollback) {
    writes_.progress.keep_for(candidate.inputs);
    writes_.lookups = candidate.lookups;
    return confirm_unread();
  }
  writes_.progress.note_later_record(LaterRecord::kLikely);
  release::RevisionStore store = records_.store();
  CW_TRY(const int number, store_deployed(store, candidate));
  enter_passed_over(store);
  CW_TRY_VOID(supersede_others(store, number));
  const Deployment deployment = deployment_of(candidate, state.progress.revision() == 0);
  enter(number, candidate, RevisionStatus::kDeployed, candidate.description);
  set_in_force(number, candidate);
  writes_.progress.drop_attempt();
  subject_.context.log.info(deployment.line,
                            {{"release", subject_.owner.name}, {"revision", number}});
  tell_deployed(subject_, deployment.reason, number, release::chart_of(candidate.chart_metadata));
  return trim(store);
}

// Nobody has read its record: it was rendered again. A record that is lost is made anew when the
// revision is next repaired.
base::Status History::confirm_unread() {
  if (subject_.progress.later_record() == LaterRecord::kNone) {
    return {};
  }
  CW_TRY(release::Finding<release::Revision> known, records_.find(subject_.progress.revision()));
  if (!known.found()) {
    return {};
  }
  return confirm(std::move(known.thing()));
}

base::Status History::confirm(release::Revision revision) {
  const CrState& state = subject_.state;
  const HistoryItem* item = in_force();
  if (item == nullptr || item->status != to_string(RevisionStatus::kDeployed) ||
      state.progress.attempt()) {
    return {};
  }
  release::RevisionStore store = records_.store();
  bool overtaken = revision.status != RevisionStatus::kDeployed;
  if (!overtaken && state.progress.later_record() != LaterRecord::kNone) {
    CW_TRY(overtaken, store.is_deployed(next_number()));
  }
  writes_.progress.note_later_record(LaterRecord::kNone);
  if (!overtaken) {
    return {};
  }
  return record_again(store, std::move(revision), *item);
}

base::Status History::record_again(release::RevisionStore& store, release::Revision revision,
                                   HistoryItem item) {
  const CrState& state = subject_.state;
  subject_.context.log.warn(
      "Another revision was recorded as deployed: the one in force is recorded again",
      {{"revision", state.progress.revision()}});
  const base::WallTime now = subject_.services.clock.wall();
  writes_.key = revision.key;
  revision.number = next_number();
  revision.status = RevisionStatus::kDeployed;
  revision.last_deployed = now;
  CW_TRY(item.digest, op::digest_of(revision.key, revision.manifest, revision.hooks));
  CW_TRY(release::EncodedRevision again, encoded(std::move(revision)));
  CW_TRY(item.revision, store.append(std::move(again), last_deployed()));
  enter_passed_over(store);
  CW_TRY_VOID(supersede_others(store, item.revision));
  item.deployed_at = base::format_rfc3339(now);
  writes_.progress.renumber(item.revision);
  writes_.history.insert(writes_.history.begin(), std::move(item));
  return trim(store);
}

base::Result<int> History::store_deployed(release::RevisionStore& store,
                                          const Candidate& candidate) {
  if (subject_.progress.attempt()) {
    return conclude(store, candidate, RevisionStatus::kDeployed, candidate.description);
  }
  if (!prepared_) {
    CW_TRY_VOID(prepare(candidate));
  }
  return store.append(*std::exchange(prepared_, std::nullopt), last_deployed());
}

// Somebody may have deleted the record meanwhile. Without it, what the candidate drew at random
// could not be had again.
base::Result<int> History::conclude(release::RevisionStore& store, const Candidate& candidate,
                                    RevisionStatus status, const std::string& description) {
  const int number = subject_.progress.attempt()->revision;
  CW_TRY(const bool is_there, store.conclude(number, status, description));
  if (is_there) {
    return number;
  }
  subject_.context.log.warn("The record of a revision is lost: recorded anew",
                            {{"release", subject_.owner.name}, {"revision", number}});
  release::Revision revision = next_revision(candidate, status);
  revision.number = std::max(revision.number, number);
  revision.description = description;
  CW_TRY(release::EncodedRevision again, encoded(std::move(revision)));
  return store.append(std::move(again), last_deployed());
}

base::Status History::prepare(const Candidate& candidate) {
  CW_TRY(prepared_, encoded(next_revision(candidate, RevisionStatus::kDeployed)));
  return {};
}

base::Result<release::EncodedRevision> History::pending(const Candidate& candidate) const {
  release::Revision revision =
      next_revision(candidate, pending_status(candidate, subject_.progress.revision() == 0));
  if (!candidate.rollback) {  // Helm's words, until it has an outcome.
    revision.description = revision.status == RevisionStatus::kPendingInstall
                               ? "Initial install underway"
                               : "Preparing upgrade";
  }
  return encoded(std::move(revision));
}

base::Result<release::EncodedRevision> History::encoded(release::Revision revision) const {
  CW_TRY(value::Value secret, release::encode_revision(revision, subject_.owner, subject_.signer));
  if (RecordMeter* const meter = subject_.services.records) {
    meter->measure(subject_.owner.gvk.kind, secret);
  }
  return release::EncodedRevision{std::move(revision), std::move(secret)};
}

base::Status History::record_failure(const Candidate& candidate, const std::string& why,
                                     Applied applied) {
  release::RevisionStore store = records_.store();
  CW_TRY(const int number, conclude(store, candidate, RevisionStatus::kFailed, why));
  enter_passed_over(store);
  writes_.progress.renumber_attempt(number);
  writes_.progress.end_attempt(why);
  enter(number, candidate, RevisionStatus::kFailed, why);
  if (applied == Applied::kYes) {
    set_in_force(number, candidate);
  } else if (candidate.rollback && !candidate.rollback->on_failure) {
    writes_.progress.refuse_rollback(requested_rollback(subject_.cr), why);
  }
  return trim(store);
}

// A record that is pending until it succeeds would hide the refusal from those who read records.
base::Status History::hold(const base::Error& why) {
  constexpr size_t kReasonBytesMax = 4096;
  const std::optional<Attempt>& attempt = subject_.progress.attempt();
  const std::string text = base::shortened(why.to_string(), kReasonBytesMax);
  if (!attempt || !attempt->failure.empty() || attempt->held == text) {
    return {};
  }
  release::RevisionStore store = records_.store();
  CW_TRY_DISCARD(store.conclude(attempt->revision, RevisionStatus::kFailed, text));
  writes_.progress.hold(text);
  return {};
}

base::Status History::give_up(const release::Revision& revision) {
  const std::string why = "Superseded by other inputs";
  if (!release::is_pending(revision.status)) {  // The one in force was superseded for it.
    writes_.progress.note_later_record(LaterRecord::kLikely);
  }
  release::RevisionStore store = records_.store();
  CW_TRY_VOID(store.supersede(revision.number, why));
  enter_abandoned(revision, why);
  return trim(store);
}

void History::enter_abandoned(const release::Revision& revision, const std::string& why) {
  std::vector<HistoryItem>& history = writes_.history;
  if (std::ranges::find(history, revision.number, &HistoryItem::revision) != history.end()) {
    return;
  }
  HistoryItem item;
  item.revision = revision.number;
  item.status = to_string(release::outcome_of_abandoned(revision.status).value_or(revision.status));
  item.description = release::is_pending(revision.status) ? why : revision.description;
  item.chart = release::chart_of(revision);
  item.deployed_at = base::format_rfc3339(revision.last_deployed);
  // No digest: only that of the revision in force is compared, and this one never was.
  history.insert(history.begin(), std::move(item));
}

// Records of ours whose answers were lost, and which other inputs have overtaken since. They were
// applied, and must not be kept for ever. One that cannot be read must not prevent new ones.
void History::enter_passed_over(release::RevisionStore& store) {
  std::vector<int> numbers = store.passed_over();
  numbers.resize(std::min(numbers.size(), static_cast<size_t>(subject_.services.history_max)));
  std::reverse(numbers.begin(), numbers.end());  // The newest line comes first.
  for (const int number : numbers) {
    const auto known = store.find(number);
    if (!known.ok()) {
      subject_.context.log.warn("A record gets no line in status.history",
                                {{"revision", number}, {"error", known.error().message()}});
    } else if (known->found()) {
      enter_abandoned(known->thing(), "Abandoned");
    }
  }
}

int History::last_deployed() const {
  for (const HistoryItem& item : subject_.state.history) {
    if (item.status == to_string(RevisionStatus::kDeployed)) {
      return item.revision;
    }
  }
  return 0;
}

int History::next_number() const {
  int number = subject_.progress.revision() + 1;
  for (const HistoryItem& item : subject_.state.history) {
    number = std::max(number, item.revision + 1);
  }
  return number;
}

release::Revision History::next_revision(const Candidate& candidate, RevisionStatus status) const {
  const CrState& state = subject_.state;
  release::Revision revision;
  revision.number = next_number();
  revision.status = status;
  revision.description = candidate.description;
  revision.manifest = candidate.manifest;
  revision.hooks = candidate.hooks;
  revision.notes = candidate.notes;
  revision.config = candidate.config;
  revision.chart_metadata = candidate.chart_metadata;
  revision.chart_values = candidate.chart_values;
  revision.chart_files = candidate.chart_files;
  if (!candidate.rollback) {  // That carries out another revision, and not the spec.
    revision.spec = {kube::generation_of(subject_.cr), state.spec_change.manager};
  }
  revision.key = state.key;
  revision.reach = candidate.reach;
  revision.last_deployed = subject_.services.clock.wall();
  revision.first_deployed = revision.last_deployed;
  if (!state.history.empty()) {
    revision.first_deployed =
        base::parse_rfc3339(state.history.back().deployed_at).value_or(revision.last_deployed);
  }
  return revision;
}

// After a failure, the one that was deployed last is older than the one in force.
base::Status History::supersede_others(release::RevisionStore& store, int number) {
  for (HistoryItem& item : writes_.history) {
    if (item.revision != number && item.status == to_string(RevisionStatus::kDeployed)) {
      CW_TRY_VOID(store.supersede(item.revision));
      item.status = to_string(RevisionStatus::kSuperseded);
    }
  }
  return {};
}

void History::enter(int number, const Candidate& candidate, RevisionStatus status,
                    const std::string& description) {
  HistoryItem item;
  item.revision = number;
  item.status = to_string(status);
  item.description = description;
  item.chart = release::chart_of(candidate.chart_metadata);
  item.digest = candidate.digest;
  item.deployed_at = base::format_rfc3339(subject_.services.clock.wall());
  std::vector<HistoryItem>& history = writes_.history;
  history.insert(history.begin(), std::move(item));
}

void History::set_in_force(int number, const Candidate& candidate) {
  writes_.is_signed = true;  // So is its record.
  writes_.progress.put_in_force(number, candidate.inputs, candidate.after,
                                requested_rollback(subject_.cr));
  writes_.notes = candidate.notes;
  writes_.lookups = candidate.lookups;
  // The values of the spec, unless a rollback is in force.
  writes_.config = candidate.rollback ? value::Packed(candidate.config) : value::Packed();
}

base::Status History::trim(release::RevisionStore& store) {
  std::vector<HistoryItem>& history = writes_.history;
  std::set<int> needed = {subject_.progress.revision(), last_deployed()};
  if (subject_.progress.attempt()) {
    needed.insert(subject_.progress.attempt()->revision);  // Says that its hooks have failed.
  }
  auto oldest = history.end();
  while (history.size() > static_cast<size_t>(subject_.services.history_max) &&
         oldest != history.begin()) {
    --oldest;
    if (needed.contains(oldest->revision)) {
      continue;  // Repairs and rollbacks need it, however many attempts have failed since.
    }
    CW_TRY_VOID(store.remove(oldest->revision));
    oldest = history.erase(oldest);
  }
  return {};
}

}  // namespace chartwright::op
