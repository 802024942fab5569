// SPDX-License-Identifier: Apache-2.0
#include "operator/takeover.h"

#include <algorithm>
#include <utility>

#include "release/keyed_digest.h"
#include "release/managed_fields.h"
#include "release/projection.h"
#include "value/compare.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using release::RevisionStatus;
using value::Value;

// A younger custom resource has no release that its status does not name, so that the first
// reconcile of a new one does not ask for records.
constexpr base::Duration kYoung = std::chrono::minutes(1);

bool is_deployed(const release::Revision& revision) {
  return revision.status == RevisionStatus::kDeployed;
}

bool has_uninstall_finalizer(const Value& cr) {
  const std::vector<std::string> finalizers = kube::finalizers_of(cr);
  return std::any_of(finalizers.begin(), finalizers.end(), is_uninstall_finalizer);
}

// "name-version", as status.history has it.
std::string chart_of(const release::Revision& revision) {
  return std::string(revision.chart_metadata.string_at({"name"})) + "-" +
         std::string(revision.chart_metadata.string_at({"version"}));
}

// The marks of helm-operator and of Helm, on objects whose owner helm-operator up to 1.39.1 did not
// note. Those of Helm alone could be of another release of that name.
bool has_marks_of(const release::Owner& owner, const Value& live) {
  return kube::label_of(live, release::kChartLabel) &&
         kube::label_of(live, release::kManagedByLabel) == "Helm" &&
         kube::annotation_of(live, release::kReleaseNameAnnotation) == owner.name &&
         kube::annotation_of(live, release::kReleaseNamespaceAnnotation) ==
             owner.release_namespace();
}

// The annotations by which we know a child that no reference can lead to.
Value owner_marks(const Value& desired) {
  Value marks = Value::dict();
  for (const std::string_view key : {release::kOwnerAnnotation, release::kOwnerTypeAnnotation}) {
    if (const auto text = kube::annotation_of(desired, key)) {
      marks.mutable_dict().set(key, Value::string(*text));
    }
  }
  return marks;
}

}  // namespace

bool Takeover::may_have_release() const {
  const CrState& state = subject_.state;
  const auto created =
      base::parse_rfc3339(subject_.cr.string_at({"metadata", "creationTimestamp"}));
  return has_uninstall_finalizer(subject_.cr) || !state.status.is_nil() ||
         (created.ok() && subject_.services.clock.wall() - *created > kYoung);
}

base::Status Takeover::run(Purpose purpose) {
  CrState& state = subject_.state;
  if (state.revision > 0 || state.attempt || state.looked_for_records) {
    return {};
  }
  if (!may_have_release()) {
    state.looked_for_records = true;
    return {};
  }
  release::RevisionStore store = records_.store();
  CW_TRY(std::vector<release::Revision> all,
         store.load_all(static_cast<size_t>(subject_.services.history_max) + 1));
  const auto newest = std::find_if(all.begin(), all.end(), is_deployed);
  if (newest == all.end()) {
    state.looked_for_records = true;
    return {};
  }
  CW_TRY_VOID(take_children(*newest, purpose));
  if (purpose == Purpose::kKeep) {
    CW_TRY_VOID(live_.forget_manifest());
  }
  CW_TRY_VOID(enter(all, static_cast<size_t>(newest - all.begin())));
  taken_ = *newest;
  if (purpose == Purpose::kKeep) {
    // Its key is in force now, and the next revision is no install.
    if (base::Status prepared = digests_.prepare(); !prepared.ok()) {
      state.revision = 0;  // All over again.
      state.history.clear();
      return prepared;
    }
    answer_rollback();
  }
  state.looked_for_records = true;
  subject_.context.log.info("Took over release", {{"release", subject_.owner.name},
                                                  {"revision", newest->number},
                                                  {"chart", chart_of(*newest)}});
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

// Returns whether the object is in the cluster as recorded. One of others stays out of the
// inventory.
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
      (claim == release::Claim::kNobody && !has_marks_of(subject_.owner, *found))) {
    return false;
  }
  CW_TRY(const Value live, take_fields(desired, *std::move(found), purpose));
  const auto projection = release::projection_digest(live, release::kFieldManager);
  const bool holds =
      projection && claim == release::Claim::kOurs && release::holds(live, desired.body);
  entry.desired = desired.digest;
  entry.observed = holds ? *projection : "";  // Otherwise it is applied.
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
    if (const Value marks = owner_marks(desired.body); !marks.as_dict().empty()) {
      metadata.mutable_dict().set("annotations", marks);
    }
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
base::Status Takeover::enter(const std::vector<release::Revision>& revisions, size_t newest) {
  CrState& state = subject_.state;
  const release::Revision& in_force = revisions[newest];
  release::RevisionStore store = records_.store();
  std::string key = in_force.key;
  if (key.empty()) {
    CW_TRY(key, release::make_key());
    CW_TRY_DISCARD(store.rekey(in_force.number, key, [&in_force](std::string_view manifest) {
      return manifest == in_force.manifest;
    }));
  }
  CW_TRY(digest_, op::digest_of(key, in_force.manifest, in_force.hooks));
  std::vector<HistoryItem> history;
  for (const release::Revision& one : revisions) {
    const bool is_newest = one.number == in_force.number;
    HistoryItem item;
    item.revision = one.number;
    item.status = to_string(one.status);
    if (!is_newest && is_deployed(one)) {
      CW_TRY_VOID(store.supersede(one.number));
      item.status = to_string(RevisionStatus::kSuperseded);
    }
    item.description = one.description;
    item.chart = chart_of(one);
    item.digest = is_newest && is_proven_ ? digest_ : "";
    item.deployed_at = base::format_rfc3339(one.last_deployed);
    history.push_back(std::move(item));
  }
  state.key = std::move(key);
  state.history = std::move(history);
  state.revision = in_force.number;
  state.notes = in_force.notes;
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
