// SPDX-License-Identifier: Apache-2.0
#include "operator/takeover.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "fields/managed_fields.h"
#include "helm/render/stored_manifest.h"
#include "release/secret_digest.h"
#include "resource/failure_policy.h"
#include "revision/keyed_digest.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using release::RevisionStatus;
using value::Value;

// A younger custom resource has no release that its status does not name, so that the first
// reconcile of a new one does not ask for records.
constexpr base::Duration kYoung = std::chrono::minutes(1);

// The revision that goes on: the one that is deployed, or that was before its successor failed.
const release::Revision* revision_in_force(const std::vector<release::Revision>& revisions) {
  for (const RevisionStatus status : {RevisionStatus::kDeployed, RevisionStatus::kSuperseded}) {
    const auto found =
        std::find_if(revisions.begin(), revisions.end(),
                     [status](const release::Revision& one) { return one.status == status; });
    if (found != revisions.end()) {
      return &*found;
    }
  }
  return nullptr;
}

// Reports whether a live object is as we apply it, or as earlier versions did.
bool is_as_applied(const Value& live, const release::Desired& desired) {
  return fields::holds(live, desired.body) ||
         std::ranges::any_of(desired.formers,
                             [&live](const Value& former) { return fields::holds(live, former); });
}

// Whether the error of a manifest will always be the same. Memory that it lacks proves nothing.
bool proves_damage(ErrorCode code) {
  return code != ErrorCode::kBudget && classify(code).retry == runtime::Retry::kNever;
}

}  // namespace

bool has_uninstall_finalizer(const Value& cr) {
  const std::vector<std::string> finalizers = kube::finalizers_of(cr);
  return std::any_of(finalizers.begin(), finalizers.end(), is_uninstall_finalizer);
}

bool is_young(const Subject& subject) {
  const auto created = base::parse_rfc3339(subject.cr.string_at({"metadata", "creationTimestamp"}));
  return !created.ok() || subject.services.clock.wall() - *created <= kYoung;
}

bool Takeover::may_have_release() const {
  return has_uninstall_finalizer(subject_.cr) || !subject_.state.stored.status.is_nil() ||
         !is_young(subject_);
}

bool Takeover::knows_no_release() const {
  return subject_.progress.revision() == 0 && subject_.state.history.empty() &&
         !subject_.progress.attempt();
}

// The status has a list of them in any case, which may be empty.
bool Takeover::has_lost_children() const {
  const CrState& state = subject_.state;
  return (state.progress.revision() > 0 || state.progress.attempt()) && state.inventory.empty() &&
         state.record_search == RecordSearch::kDue &&
         state.stored.status.unpack().find("resources") == nullptr;
}

// The revision in force, and an attempt at another one.
std::set<int> Takeover::recorded_numbers() const {
  const CrState& state = subject_.state;
  std::set<int> numbers = {state.progress.revision(),
                           state.progress.attempt() ? state.progress.attempt()->revision : 0};
  numbers.erase(0);
  return numbers;
}

base::Result<release::Finding<release::Revision>> Takeover::find(int number) {
  return number == subject_.progress.revision() ? parts_.records.find(number)
                                                : parts_.records.find_signed(number);
}

base::Status Takeover::complete_children() {
  if (memory().has_all_children) {
    return {};
  }
  for (const int number : recorded_numbers()) {
    CW_TRY(const release::Finding<release::Revision> finding, find(number));
    if (!finding.found()) {
      continue;
    }
    auto objects = parts_.records.parse(helm::without_crds(finding.thing().manifest));
    if (objects.ok()) {
      CW_TRY_VOID(parts_.applier.remember(*objects));
    } else if (!proves_damage(objects.error().code())) {
      return std::move(objects).error();
    }
  }
  memory().has_all_children = true;
  return {};
}

base::Status Takeover::restore_children(Purpose purpose) {
  release::Inventory found;
  for (const int number : recorded_numbers()) {
    CW_TRY_VOID(take_recorded(number, purpose));
    found.merge(std::exchange(writes_.inventory, {}));
  }
  writes_.inventory = std::move(found);
  writes_.search = RecordSearch::kDone;
  subject_.context.log.info("Found the children that the status has lost",
                            {{"release", subject_.owner.name}});
  return {};
}

// If its record does not say what it has created, another render does.
base::Status Takeover::take_recorded(int number, Purpose purpose) {
  CW_TRY(const release::Finding<release::Revision> finding, find(number));
  base::Status taken =
      finding.found() ? take_children(finding.thing(), purpose) : base::Status(finding.proof());
  if (taken.ok()) {
    return {};
  }
  const ErrorCode code = taken.error().code();
  writes_.inventory.clear();
  if (!is_lost(code) && !proves_damage(code)) {
    return taken;
  }
  warn_of_record(number);
  if (number == subject_.progress.revision()) {
    writes_.progress.note_inputs("");
  }
  return {};
}

void Takeover::warn_of_record(int number) {
  subject_.context.log.warn("The record of a revision does not say what it has created",
                            {{"release", subject_.owner.name}, {"revision", number}});
}

base::Status Takeover::run(Purpose purpose) {
  const CrState& state = subject_.state;
  if (has_lost_children()) {
    return restore_children(purpose);
  }
  if (!knows_no_release() || state.record_search == RecordSearch::kDone ||
      state.record_search == RecordSearch::kPutOff) {
    return {};
  }
  if (state.record_search == RecordSearch::kDue && !may_have_release()) {
    writes_.search = RecordSearch::kPutOff;
    return {};
  }
  auto all = parts_.records.store().load_all(static_cast<size_t>(subject_.services.history_max) + 1,
                                             subject_.watch.bundle.chart_name());
  const bool is_of_others = !all.ok() && all.error().code() == ErrorCode::kOwnership;
  if (!all.ok() && !(is_of_others && purpose == Purpose::kUninstall)) {
    return std::move(all).error();
  }
  if (all.ok() && !all->empty() && all->front().status != RevisionStatus::kUninstalled) {
    CW_TRY_VOID(verify(*all));
    CW_TRY_VOID(take(*all, purpose));
  }
  writes_.search = RecordSearch::kDone;
  return {};
}

base::Result<bool> Takeover::run_late() {
  if (!knows_no_release() || writes_.search != RecordSearch::kPutOff) {
    return false;
  }
  writes_.search = RecordSearch::kCalledFor;
  CW_TRY_VOID(run(Purpose::kKeep));
  return !writes_.history.empty();
}

// Revisions that are not signed by us lose their signature, so that it tells which are.
base::Status Takeover::verify(std::vector<release::Revision>& revisions) const {
  for (release::Revision& one : revisions) {
    CW_TRY(const std::optional<release::Reach> reach, parts_.records.reach_of(one));
    one.reach = reach.value_or(release::Reach::kOwnNamespace);
    if (!reach || subject_.signer == nullptr) {
      one.signature.clear();
    }
  }
  return {};
}

base::Status Takeover::take(const std::vector<release::Revision>& revisions, Purpose purpose) {
  const release::Revision* in_force = revision_in_force(revisions);
  const size_t first = in_force == nullptr ? 0 : static_cast<size_t>(in_force - revisions.data());
  CW_TRY_VOID(take_readable(revisions, first, purpose));
  if (purpose == Purpose::kKeep) {
    CW_TRY_VOID(parts_.live.forget_manifest());
  }
  CW_TRY_VOID(enter(revisions, in_force));
  if (in_force != nullptr && purpose == Purpose::kKeep) {
    CW_TRY_VOID(continue_from(*in_force));
  }
  const release::Revision& newest = revisions[first];
  subject_.context.log.info("Took over release", {{"release", subject_.owner.name},
                                                  {"revision", newest.number},
                                                  {"chart", release::chart_of(newest)}});
  return {};
}

// The manifest of a damaged record may not parse: then the one before says what to look after.
base::Status Takeover::take_readable(const std::vector<release::Revision>& revisions, size_t first,
                                     Purpose purpose) {
  for (size_t i = first; i < revisions.size(); ++i) {
    base::Status taken = take_children(revisions[i], purpose);
    if (taken.ok() || !proves_damage(taken.error().code())) {
      if (i != first) {
        belief_ = Belief::kNone;  // Of the one that is in force.
      }
      return taken;
    }
    warn_of_record(revisions[i].number);
  }
  writes_.inventory.clear();
  belief_ = Belief::kNone;
  return {};
}

// The key of the revision is in force now, and the next revision is not an install.
base::Status Takeover::continue_from(const release::Revision& revision) {
  taken_ = revision;
  if (base::Status prepared = parts_.digests.prepare(); !prepared.ok()) {
    writes_.progress.take_over(0);  // All over again.
    writes_.history.clear();
    return prepared;
  }
  answer_rollback();
  return {};
}

base::Status Takeover::take_children(const release::Revision& revision, Purpose purpose) {
  writes_.inventory.clear();
  elsewhere_.clear();
  CW_TRY(const std::vector<Value> objects,
         parts_.records.parse(helm::without_crds(revision.manifest)));
  belief_ = revision.signature.empty() ? Belief::kNone : Belief::kSigned;
  const bool reaches_elsewhere =
      belief_ == Belief::kSigned && revision.reach == release::Reach::kEverything;
  size_t holding = 0;
  size_t here = 0;
  for (const Value& object : objects) {
    const auto desired = parts_.applier.desired_from({object}, release::Role::kChild);
    if (!desired.ok() && desired.error().reason() == kube::kNoMatchReason) {
      ++here;  // Its kind is no longer served, and so it is gone.
      continue;
    }
    if (!desired.ok()) {
      return desired.error();
    }
    for (const release::Desired& one : *desired) {
      if (is_elsewhere(subject_, one.ref) && !reaches_elsewhere) {
        elsewhere_.push_back(one);
        continue;
      }
      CW_TRY(const bool holds, take_child(one, purpose));
      ++here;
      holding += holds ? 1 : 0;
    }
  }
  if (belief_ != Belief::kSigned) {
    belief_ = here > 0 && holding == here ? Belief::kConfirmed : Belief::kNone;
  }
  return {};
}

base::Status Takeover::take_elsewhere(const Candidate& candidate, Purpose purpose) {
  if (!has_claims() || candidate.reach != release::Reach::kEverything) {
    return {};
  }
  CW_TRY(const auto rendered, parts_.applier.desired_from(candidate));
  parts_.applier.confirm(rendered);
  for (const release::Desired& one : std::exchange(elsewhere_, {})) {
    if (std::ranges::find(rendered, one.ref, &release::Desired::ref) != rendered.end()) {
      CW_TRY_DISCARD(take_child(one, purpose));
    }
  }
  return {};
}

// An empty manifest would confirm everything.
base::Result<bool> Takeover::cluster_confirms(const release::Revision& revision) {
  const auto objects = parts_.records.parse(helm::without_crds(revision.manifest));
  if (!objects.ok() && proves_damage(objects.error().code())) {
    return false;
  }
  if (!objects.ok()) {
    return objects.error();
  }
  CW_TRY(const auto desired, parts_.applier.possible_from(*objects));
  bool any = false;
  for (const release::Desired& one : desired) {
    if (is_elsewhere(subject_, one.ref)) {
      continue;
    }
    any = true;
    auto live = subject_.services.client.get(one.ref, subject_.call);
    if (!live.ok() && live.error().code() != ErrorCode::kNotFound) {
      return std::move(live).error();
    }
    if (!live.ok() || release::claim_on(*live, subject_.owner) != release::Claim::kOurs ||
        !is_as_applied(*live, one)) {
      return false;
    }
  }
  return any;
}

// Returns whether the object is as recorded. One of others stays out of the inventory.
base::Result<bool> Takeover::take_child(const release::Desired& desired, Purpose purpose) {
  auto found = subject_.services.client.get(desired.ref, subject_.call);
  if (!found.ok() && found.error().code() != ErrorCode::kNotFound) {
    return std::move(found).error();
  }
  release::InventoryEntry entry;
  entry.slot = desired.slot;
  entry.serial = desired.serial;
  if (!found.ok()) {
    writes_.inventory.insert_or_assign(desired.ref, std::move(entry));
    return false;
  }
  const release::Claim claim = release::claim_on(*found, subject_.owner);
  const bool may_take = subject_.watch.adoption != bundle::AdoptionPolicy::kNever &&
                        release::has_release_marks(*found, subject_.owner);
  if (claim == release::Claim::kOther || (claim == release::Claim::kNobody && !may_take)) {
    return false;
  }
  CW_TRY(const Value live, take_fields(desired, *std::move(found), purpose));
  const std::string manager = release::field_manager_of(subject_.owner);
  const std::string observed = release::recorded_observed(live, subject_.owner);
  const bool is_as_recorded = release::claim_on(live, subject_.owner) == release::Claim::kOurs &&
                              fields::holds(live, desired.body);
  // Fields in several versions of the kind become ours at an apply.
  const bool leaves_fields =
      purpose == Purpose::kKeep && !fields::managed_fields_after_apply(live, manager).is_nil();
  const bool holds =
      is_as_recorded && (!observed.empty() || leaves_fields || purpose == Purpose::kUninstall);
  entry.desired = desired.digest;
  entry.observed = holds && !leaves_fields ? observed : "";  // "": it is applied.
  entry.resource_version = kube::resource_version_of(live);
  entry.written = health::readiness_of(live);
  writes_.inventory.insert_or_assign(desired.ref, std::move(entry));
  return holds;
}

// One write, of managedFields and of the owner's marks where they are missing.
base::Result<Value> Takeover::take_fields(const release::Desired& desired, Value live,
                                          Purpose purpose) {
  Value metadata = Value::dict();
  if (release::claim_on(live, subject_.owner) == release::Claim::kNobody ||
      release::has_stray_reference(live, subject_.owner)) {
    metadata = release::owner_marks(desired.body, live, subject_.owner);
  }
  Value fields = purpose == Purpose::kKeep ? fields::managed_fields_after_takeover(
                                                 live, release::field_manager_of(subject_.owner))
                                           : Value();
  if (!fields.is_nil()) {
    metadata.mutable_dict().set("managedFields", std::move(fields));
  }
  if (metadata.as_dict().empty()) {
    return live;
  }
  metadata.mutable_dict().set("uid", Value::string(kube::uid_of(live)));
  metadata.mutable_dict().set("resourceVersion", Value::string(kube::resource_version_of(live)));
  kube::WriteOptions options;
  options.field_manager = release::field_manager_of(subject_.owner);
  return subject_.services.client.patch(
      desired.ref, {kube::PatchType::kMerge, Value::dict({{"metadata", metadata}})}, options,
      subject_.call);
}

// Without a digest in the history a record is never applied.
base::Status Takeover::enter(const std::vector<release::Revision>& revisions,
                             const release::Revision* in_force) {
  release::RevisionStore store = parts_.records.store();
  if (in_force != nullptr) {
    writes_.key = in_force->key;
    if (writes_.key.empty()) {
      CW_TRY(writes_.key, release::make_key());
    }
    CW_TRY(digest_, op::digest_of(writes_.key, in_force->manifest, in_force->hooks));
  }
  std::vector<HistoryItem> history;
  for (const release::Revision& one : revisions) {
    const bool stays = &one == in_force;
    HistoryItem item;
    item.revision = one.number;
    item.status = to_string(one.status);
    if (const auto outcome = release::outcome_of_abandoned(one.status); outcome && !stays) {
      CW_TRY_VOID(store.supersede(one.number));
      item.status = to_string(*outcome);
    }
    item.description = one.description;
    item.chart = release::chart_of(one);
    if (!one.signature.empty()) {
      CW_TRY(item.digest, op::digest_of(one.key, one.manifest, one.hooks));
    }
    item.deployed_at = base::format_rfc3339(one.last_deployed);
    history.push_back(std::move(item));
  }
  writes_.history = std::move(history);
  writes_.progress.take_over(in_force == nullptr ? 0 : in_force->number);
  writes_.notes = in_force == nullptr ? "" : in_force->notes;
  return {};
}

// A request that stands there was made of a release that its operator knew: it was answered.
void Takeover::answer_rollback() {
  const std::string request = requested_rollback(subject_.cr);
  writes_.progress.answer_rollback(request);
  const bool is_in_force =
      taken_->description.starts_with(kRollbackDescription) && belief_ != Belief::kNone;
  if (!request.empty() && is_in_force) {
    writes_.progress.take_over_rollback(parts_.digests.inputs().spec_digest,
                                        parts_.digests.inputs().digest);
  }
}

bool Takeover::has_digest_in_force() const {
  const CrState& state = subject_.state;
  const auto item =
      std::ranges::find(state.history, state.progress.revision(), &HistoryItem::revision);
  return item == state.history.end() || !item->digest.empty();
}

base::Status Takeover::recognise() {
  const CrState& state = subject_.state;
  if (state.progress.revision() == 0 || taken_ || (state.is_signed && has_digest_in_force())) {
    return {};
  }
  CW_TRY(release::Finding<release::Revision> finding,
         parts_.records.store().find(state.progress.revision()));
  if (!finding.found()) {
    writes_.is_signed = true;  // There is nothing to confirm.
    return {};
  }
  taken_ = std::move(finding.thing());
  CW_TRY(const std::optional<release::Reach> reach, parts_.records.reach_of(*taken_));
  if (state.key.empty()) {
    writes_.key = taken_->key;
  }
  CW_TRY_VOID(parts_.digests.ensure_key());
  CW_TRY(digest_, op::digest_of(state.key, taken_->manifest, taken_->hooks));
  if (reach) {
    belief_ = Belief::kSigned;
    taken_->reach = *reach;
    writes_.is_signed = true;
    memory().has_all_children = false;
    if (*reach == release::Reach::kEverything) {
      return complete_children();
    }
    return {};
  }
  writes_.progress.note_inputs("");  // So that the chart is rendered, and the record compared.
  return {};
}

base::Status Takeover::compare(const Candidate& candidate) {
  CW_TRY_VOID(take_elsewhere(candidate, Purpose::kKeep));
  if (!taken_ || belief_ == Belief::kSigned) {
    return {};
  }
  if (candidate.digest != digest_) {
    return confirm_by_cluster();
  }
  taken_->config = candidate.config;
  taken_->notes = candidate.notes;
  return sign(release::Reach::kEverything);
}

base::Status Takeover::confirm_by_cluster() {
  if (!taken_ || belief_ == Belief::kSigned) {
    return {};
  }
  if (belief_ == Belief::kNone) {
    CW_TRY(const bool confirmed, cluster_confirms(*taken_));
    belief_ = confirmed ? Belief::kConfirmed : Belief::kNone;
  }
  if (belief_ != Belief::kConfirmed) {
    digest_.clear();  // So that what the chart renders is recorded.
    enter_digest();
    return {};
  }
  return sign(release::Reach::kOwnNamespace);
}

base::Status Takeover::sign(release::Reach reach) {
  taken_->key = subject_.state.key;
  taken_->reach = reach;
  if (subject_.signer != nullptr) {
    CW_TRY(const bool is_there, parts_.records.store().sign(*taken_));
    if (!is_there) {
      belief_ = Belief::kNone;
      return {};
    }
    subject_.context.log.info(
        "Signed the record of a release that was made without a signature",
        {{"release", subject_.owner.name},
         {"revision", taken_->number},
         {"reach", reach == release::Reach::kEverything ? "everything" : "its namespace"}});
  }
  belief_ = Belief::kSigned;
  writes_.is_signed = true;
  enter_digest();
  return {};
}

void Takeover::enter_digest() {
  const auto item = std::ranges::find(writes_.history, taken_->number, &HistoryItem::revision);
  if (item != writes_.history.end()) {
    item->digest = digest_;
  }
}

base::Status Takeover::trust_history() {
  const bool may_trust =
      subject_.signer != nullptr && !memory().was_trusted &&
      subject_.services.clock.monotonic() < subject_.services.trusts_unsigned_until;
  if (!may_trust) {
    return {};
  }
  std::vector<std::string> trusted;
  for (HistoryItem& item : writes_.history) {
    if (taken_ && item.revision == taken_->number) {
      continue;  // It is compared with the render of today.
    }
    CW_TRY(const bool is_new, trust(item));
    if (is_new) {
      trusted.push_back(std::to_string(item.revision));
    }
  }
  memory().was_trusted = true;
  if (!trusted.empty()) {
    writes_.trusted_records = base::join(trusted, ", ");
    subject_.context.log.warn(
        "Trusted records without a signature, as --trust-unsigned-records asks",
        {{"release", subject_.owner.name}, {"revisions", writes_.trusted_records}});
  }
  return {};
}

// Returns whether the record had no signature, and has one now.
base::Result<bool> Takeover::trust(HistoryItem& item) {
  CW_TRY(release::Finding<release::Revision> finding, parts_.records.store().find(item.revision));
  if (!finding.found()) {
    return false;
  }
  release::Revision& revision = finding.thing();
  CW_TRY(const std::optional<release::Reach> reach, parts_.records.reach_of(revision));
  if (reach) {
    return false;
  }
  CW_TRY_VOID(parts_.digests.ensure_key());
  if (revision.key.empty()) {
    revision.key = subject_.state.key;
  }
  revision.reach = release::Reach::kOwnNamespace;
  CW_TRY(const bool is_ours, parts_.records.store().sign(revision));
  if (is_ours) {
    CW_TRY(item.digest, op::digest_of(revision.key, revision.manifest, revision.hooks));
  }
  return is_ours;
}

bool Takeover::keeps(const Candidate& candidate) const {
  return taken_ && belief_ != Belief::kNone && !candidate.repeatable &&
         !subject_.progress.is_pinned() &&
         release::chart_of(*taken_) == subject_.watch.bundle.chart_version() &&
         value::json_equal(taken_->config, candidate.config);
}

}  // namespace chartwright::op
