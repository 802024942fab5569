// SPDX-License-Identifier: Apache-2.0
#include "operator/takeover.h"

#include <algorithm>
#include <set>
#include <utility>

#include "release/keyed_digest.h"
#include "release/managed_fields.h"
#include "release/projection.h"
#include "resource/failure.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using release::RevisionStatus;
using value::Value;

// A younger custom resource has no release that its status does not name, so that the first
// reconcile of a new one does not ask for records.
constexpr base::Duration kYoung = std::chrono::minutes(1);

bool has_uninstall_finalizer(const Value& cr) {
  const std::vector<std::string> finalizers = kube::finalizers_of(cr);
  return std::any_of(finalizers.begin(), finalizers.end(), is_uninstall_finalizer);
}

// "name-version", as status.history has it.
std::string chart_of(const release::Revision& revision) {
  return std::string(revision.chart_metadata.string_at({"name"})) + "-" +
         std::string(revision.chart_metadata.string_at({"version"}));
}

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

}  // namespace

bool Takeover::may_have_release() const {
  const auto created =
      base::parse_rfc3339(subject_.cr.string_at({"metadata", "creationTimestamp"}));
  return has_uninstall_finalizer(subject_.cr) || !subject_.state.status.is_nil() ||
         (created.ok() && subject_.services.clock.wall() - *created > kYoung);
}

bool Takeover::knows_no_release() const {
  return subject_.state.revision == 0 && subject_.state.history.empty() && !subject_.state.attempt;
}

// The status has a list of them in any case, which may be empty.
bool Takeover::has_lost_children() const {
  const CrState& state = subject_.state;
  return (state.revision > 0 || state.attempt) && state.inventory.empty() &&
         state.record_search == RecordSearch::kDue &&
         state.status.unpack().find("resources") == nullptr;
}

// The revision in force, and an attempt at another one.
std::set<int> Takeover::recorded_numbers() const {
  const CrState& state = subject_.state;
  std::set<int> numbers = {state.revision, state.attempt ? state.attempt->revision : 0};
  numbers.erase(0);
  return numbers;
}

base::Result<release::Revision> Takeover::load(int number) {
  return number == subject_.state.revision ? records_.load(number) : records_.store().load(number);
}

base::Status Takeover::complete_children() {
  CrState& state = subject_.state;
  if (state.has_all_children) {
    return {};
  }
  for (const int number : recorded_numbers()) {
    auto revision = load(number);
    if (!revision.ok() && is_lost(revision.error().code())) {
      continue;
    }
    CW_TRY(const release::Revision found, std::move(revision));
    auto objects = records_.parse(helm::without_crds(found.manifest));
    if (objects.ok()) {
      CW_TRY_VOID(applier_.remember(*objects));
    } else if (classify(objects.error().code()).retry != runtime::Retry::kNever) {
      return std::move(objects).error();
    }
  }
  state.has_all_children = true;
  return {};
}

base::Status Takeover::restore_children(Purpose purpose) {
  CrState& state = subject_.state;
  release::Inventory found;
  for (const int number : recorded_numbers()) {
    CW_TRY_VOID(take_recorded(number, purpose));
    found.merge(std::exchange(state.inventory, {}));
  }
  state.inventory = std::move(found);
  state.record_search = RecordSearch::kDone;
  subject_.context.log.info("Found the children that the status has lost",
                            {{"release", subject_.owner.name}});
  return {};
}

// If its record does not say what it has created, another render does.
base::Status Takeover::take_recorded(int number, Purpose purpose) {
  CrState& state = subject_.state;
  auto revision = load(number);
  base::Status taken =
      revision.ok() ? take_children(*revision, purpose) : base::Status(std::move(revision).error());
  if (taken.ok()) {
    return {};
  }
  const ErrorCode code = taken.error().code();
  state.inventory.clear();
  if (!is_lost(code) && classify(code).retry != runtime::Retry::kNever) {
    return taken;
  }
  warn_of_record(number);
  if (number == state.revision) {
    state.inputs.clear();
  }
  return {};
}

void Takeover::warn_of_record(int number) {
  subject_.context.log.warn("The record of a revision does not say what it has created",
                            {{"release", subject_.owner.name}, {"revision", number}});
}

base::Status Takeover::run(Purpose purpose) {
  CrState& state = subject_.state;
  if (has_lost_children()) {
    return restore_children(purpose);
  }
  if (!knows_no_release() || state.record_search == RecordSearch::kDone ||
      state.record_search == RecordSearch::kPutOff) {
    return {};
  }
  if (state.record_search == RecordSearch::kDue && !may_have_release()) {
    state.record_search = RecordSearch::kPutOff;
    return {};
  }
  auto all = records_.store().load_all(static_cast<size_t>(subject_.services.history_max) + 1,
                                       subject_.watch.bundle.chart_name());
  const bool is_of_others = !all.ok() && all.error().code() == ErrorCode::kOwnership;
  if (!all.ok() && !(is_of_others && purpose == Purpose::kUninstall)) {
    return std::move(all).error();
  }
  if (all.ok() && !all->empty() && all->front().status != RevisionStatus::kUninstalled) {
    CW_TRY_VOID(take(*all, purpose));
  }
  state.record_search = RecordSearch::kDone;
  return {};
}

base::Result<bool> Takeover::run_late() {
  CrState& state = subject_.state;
  if (!knows_no_release() || state.record_search != RecordSearch::kPutOff) {
    return false;
  }
  state.record_search = RecordSearch::kCalledFor;
  CW_TRY_VOID(run(Purpose::kKeep));
  return !state.history.empty();
}

base::Status Takeover::take(const std::vector<release::Revision>& revisions, Purpose purpose) {
  const release::Revision* in_force = revision_in_force(revisions);
  const size_t first = in_force == nullptr ? 0 : static_cast<size_t>(in_force - revisions.data());
  CW_TRY_VOID(take_readable(revisions, first, purpose));
  if (purpose == Purpose::kKeep) {
    CW_TRY_VOID(live_.forget_manifest());
  }
  CW_TRY_VOID(enter(revisions, in_force));
  if (in_force != nullptr && purpose == Purpose::kKeep) {
    CW_TRY_VOID(continue_from(*in_force));
  }
  const release::Revision& newest = revisions[first];
  subject_.context.log.info(
      "Took over release",
      {{"release", subject_.owner.name}, {"revision", newest.number}, {"chart", chart_of(newest)}});
  return {};
}

// The manifest of a damaged record may not parse: then the one before says what to look after.
base::Status Takeover::take_readable(const std::vector<release::Revision>& revisions, size_t first,
                                     Purpose purpose) {
  for (size_t i = first; i < revisions.size(); ++i) {
    base::Status taken = take_children(revisions[i], purpose);
    if (taken.ok() || classify(taken.error().code()).retry != runtime::Retry::kNever) {
      is_proven_ = is_proven_ && i == first;
      return taken;
    }
    warn_of_record(revisions[i].number);
  }
  subject_.state.inventory.clear();
  is_proven_ = false;
  return {};
}

// Its key is in force now, and the next revision is not an install.
base::Status Takeover::continue_from(const release::Revision& revision) {
  taken_ = revision;
  if (base::Status prepared = digests_.prepare(); !prepared.ok()) {
    subject_.state.revision = 0;  // All over again.
    subject_.state.history.clear();
    return prepared;
  }
  answer_rollback();
  return {};
}

base::Status Takeover::take_children(const release::Revision& revision, Purpose purpose) {
  subject_.state.inventory.clear();
  CW_TRY(const std::vector<Value> objects, records_.parse(helm::without_crds(revision.manifest)));
  is_proven_ = true;
  for (const Value& object : objects) {
    const auto desired = applier_.desired_from({object}, release::Role::kChild);
    if (!desired.ok() && desired.error().reason() == kube::kNoMatchReason) {
      is_proven_ = false;  // Its kind is no longer served, and so it is gone.
      continue;
    }
    if (!desired.ok()) {
      return desired.error();
    }
    for (const release::Desired& one : *desired) {
      CW_TRY(const bool holds, take_child(one, purpose));
      is_proven_ = is_proven_ && holds;
    }
  }
  return {};
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
    subject_.state.inventory.insert_or_assign(desired.ref, std::move(entry));
    return false;
  }
  const release::Claim claim = release::claim_on(*found, subject_.owner);
  if (claim == release::Claim::kOther ||
      (claim == release::Claim::kNobody && !release::has_release_marks(*found, subject_.owner))) {
    return false;
  }
  CW_TRY(const Value live, take_fields(desired, *std::move(found), purpose));
  const auto projection = release::projection_digest(live, release::kFieldManager);
  const bool is_as_recorded = release::claim_on(live, subject_.owner) == release::Claim::kOurs &&
                              release::holds(live, desired.body);
  // Fields in several versions of the kind become ours at an apply.
  const bool leaves_fields =
      purpose == Purpose::kKeep && !release::managed_fields_after_apply(live).is_nil();
  const bool holds =
      is_as_recorded && (projection || leaves_fields || purpose == Purpose::kUninstall);
  entry.desired = desired.digest;
  entry.observed = holds && !leaves_fields ? projection.value_or("") : "";  // "": it is applied.
  entry.resource_version = kube::resource_version_of(live);
  entry.written = release::readiness_of(live);
  subject_.state.inventory.insert_or_assign(desired.ref, std::move(entry));
  return holds;
}

// One write, of managedFields and of the owner's marks where they are missing.
base::Result<Value> Takeover::take_fields(const release::Desired& desired, Value live,
                                          Purpose purpose) {
  Value metadata = Value::dict();
  if (release::claim_on(live, subject_.owner) == release::Claim::kNobody) {
    metadata = release::owner_marks(desired.body, live);
  }
  Value fields = purpose == Purpose::kKeep ? release::managed_fields_after_takeover(live) : Value();
  if (!fields.is_nil()) {
    metadata.mutable_dict().set("managedFields", std::move(fields));
  }
  if (metadata.as_dict().empty()) {
    return live;
  }
  metadata.mutable_dict().set("uid", Value::string(kube::uid_of(live)));
  metadata.mutable_dict().set("resourceVersion", Value::string(kube::resource_version_of(live)));
  kube::WriteOptions options;
  options.field_manager = release::kFieldManager;
  return subject_.services.client.patch(
      desired.ref, {kube::PatchType::kMerge, Value::dict({{"metadata", metadata}})}, options,
      subject_.call);
}

// Anyone who may write Secrets can write a record. Without a digest it is never applied.
base::Status Takeover::enter(const std::vector<release::Revision>& revisions,
                             const release::Revision* in_force) {
  CrState& state = subject_.state;
  release::RevisionStore store = records_.store();
  if (in_force != nullptr) {
    state.key = in_force->key;
    if (state.key.empty()) {
      CW_TRY(state.key, release::make_key());
      CW_TRY_DISCARD(store.rekey(
          in_force->number, state.key,
          [in_force](std::string_view manifest) { return manifest == in_force->manifest; }));
    }
    CW_TRY(digest_, op::digest_of(state.key, in_force->manifest, in_force->hooks));
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
    item.chart = chart_of(one);
    item.digest = stays && is_proven_ ? digest_ : "";
    item.deployed_at = base::format_rfc3339(one.last_deployed);
    history.push_back(std::move(item));
  }
  state.history = std::move(history);
  state.revision = in_force == nullptr ? 0 : in_force->number;
  state.notes = in_force == nullptr ? "" : in_force->notes;
  return {};
}

// A request that stands there was made of a release that its operator knew: it was answered.
void Takeover::answer_rollback() {
  CrState& state = subject_.state;
  const auto request = requested_rollback(subject_.cr);
  state.handled_rollback = request.value_or("");
  const bool is_in_force = taken_->description.starts_with(kRollbackDescription) && is_proven_;
  if (request && is_in_force) {
    state.pin = Pin{taken_->number, digests_.inputs().spec_digest};
    state.inputs = digests_.inputs().digest;
    state.config = value::Packed(taken_->config);
  }
}

void Takeover::compare(const Candidate& candidate) {
  if (!taken_ || candidate.digest != digest_) {
    return;
  }
  for (HistoryItem& item : subject_.state.history) {
    if (item.revision == taken_->number) {
      item.digest = digest_;
    }
  }
}

bool Takeover::keeps(const Candidate& candidate) const {
  return taken_ && is_proven_ && !candidate.repeatable && !subject_.state.pin &&
         chart_of(*taken_) == subject_.watch.bundle.chart_version() &&
         value::json_equal(taken_->config, candidate.config);
}

}  // namespace chartwright::op
