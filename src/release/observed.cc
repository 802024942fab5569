// SPDX-License-Identifier: Apache-2.0
#include "release/observed.h"

#include <algorithm>
#include <array>

#include "kube/object.h"
#include "release/projection.h"
#include "value/compare.h"
#include "value/packed.h"

namespace chartwright::release {
namespace {

using value::Value;

// Members that condense() adds to those of the object. Kubernetes objects have no members with a
// dot in their name.
constexpr std::string_view kProjection = "cw.projection";
constexpr std::string_view kReadyState = "cw.ready";
constexpr std::string_view kReadyMessage = "cw.message";
constexpr std::string_view kBody = "cw.body";
// apiVersion, kind, metadata and the four above.
constexpr size_t kMembersMax = 7;

// Returns a copy that takes no more memory than it needs; a decoded value takes more.
Value compact(const Value& v) { return value::Packed(v).unpack(); }

void copy_member(const value::Dict& from, value::Dict& to, std::string_view key) {
  if (const Value* v = from.find(key)) {
    to.set(key, compact(*v));
  }
}

Value condensed_metadata(const value::Dict& metadata) {
  constexpr std::array kKept = {
      "name",           "namespace", "uid", "resourceVersion", "generation", "deletionTimestamp",
      "ownerReferences"};
  Value out = Value::dict();
  out.mutable_dict().reserve(kKept.size());
  for (std::string_view key : kKept) {
    copy_member(metadata, out.mutable_dict(), key);
  }
  const Value* annotations = metadata.find("annotations");
  if (annotations != nullptr && annotations->is_dict()) {
    Value kept = Value::dict();
    for (std::string_view key : {kOwnerAnnotation, kOwnerTypeAnnotation, kResourcePolicyAnnotation,
                                 kOnDeleteAnnotation, kSlotAnnotation}) {
      copy_member(annotations->as_dict(), kept.mutable_dict(), key);
    }
    if (!kept.as_dict().empty()) {
      out.mutable_dict().set("annotations", kept);
    }
  }
  return out;
}

// Returns the object as templates see it, without the API server's own bookkeeping.
Value without_managed_fields(const Value& object) {
  Value out = Value::dict();
  for (const auto& [key, member] : object.as_dict()) {
    if (key != "metadata" || !member.is_dict()) {
      out.mutable_dict().set(key, member);
      continue;
    }
    Value metadata = Value::dict();
    for (const auto& [name, field] : member.as_dict()) {
      if (name != "managedFields") {
        metadata.mutable_dict().set(name, field);
      }
    }
    out.mutable_dict().set("metadata", std::move(metadata));
  }
  return out;
}

}  // namespace

Value condense(const Value& object, std::string_view manager, KeepBody keep) {
  Value out = Value::dict();
  if (!object.is_dict()) {
    return out;
  }
  value::Dict& members = out.mutable_dict();
  members.reserve(kMembersMax);
  copy_member(object.as_dict(), members, "apiVersion");
  copy_member(object.as_dict(), members, "kind");
  const Value* metadata = object.find("metadata");
  if (metadata != nullptr && metadata->is_dict()) {
    members.set("metadata", condensed_metadata(metadata->as_dict()));
  }
  if (auto projection = projection_digest(object, manager)) {
    members.set(kProjection, Value::string(*std::move(projection)));
  }
  Readiness readiness = readiness_of(object);
  members.set(kReadyState, Value::integer(static_cast<int64_t>(readiness.state)));
  if (!readiness.message.empty()) {
    members.set(kReadyMessage, Value::string(std::move(readiness.message)));
  }
  if (keep == KeepBody::kYes && !kube::is_secret(kube::gvk_of(object))) {
    members.set(kBody, value::Packed(without_managed_fields(object)).to_bytes());
    if (const Value* labels = object.find_path({"metadata", "labels"})) {
      members.find("metadata")->mutable_dict().set("labels", compact(*labels));
    }
  }
  return out;
}

std::optional<Value> body_of(const Value& condensed) {
  const Value* packed = condensed.find(kBody);
  if (packed == nullptr) {
    return std::nullopt;
  }
  return value::Packed::unpack_bytes(*packed);
}

Difference difference_for_owner(const Value& before, const Value& after) {
  constexpr std::array<std::string_view, 3> kMembers = {"apiVersion", "kind", kProjection};
  constexpr std::array<std::string_view, 5> kMetadata = {"uid", "generation", "deletionTimestamp",
                                                         "ownerReferences", "annotations"};
  const auto same = [](const Value* a, const Value* b) {
    return a == nullptr || b == nullptr ? a == b : value::json_equal(*a, *b);
  };
  const bool drift =
      std::any_of(kMembers.begin(), kMembers.end(),
                  [&](std::string_view m) { return !same(before.find(m), after.find(m)); }) ||
      std::any_of(kMetadata.begin(), kMetadata.end(), [&](std::string_view m) {
        return !same(before.find_path({"metadata", m}), after.find_path({"metadata", m}));
      });
  if (drift) {
    return Difference::kDrift;
  }
  const bool shown = before.find(kBody) != nullptr || after.find(kBody) != nullptr ||
                     !same(before.find(kReadyState), after.find(kReadyState)) ||
                     !same(before.find(kReadyMessage), after.find(kReadyMessage));
  return shown ? Difference::kShown : Difference::kNone;
}

std::string_view Observed::uid() const { return kube::uid_of(*value_); }
std::string_view Observed::resource_version() const { return kube::resource_version_of(*value_); }
bool Observed::deleting() const { return deleted_ || kube::is_deleting(*value_); }
bool Observed::keep_policy() const { return has_keep_policy(*value_); }
kube::Propagation Observed::propagation() const {
  return orphans_dependents(*value_) ? kube::Propagation::kOrphan : kube::Propagation::kBackground;
}
std::string_view Observed::projection() const { return value_->string_at({kProjection}); }

Observed Observed::judged(Verdict verdict) const {
  Observed copy = *this;
  copy.verdict_ = verdict;
  return copy;
}

Observed Observed::deleted() const {
  Observed copy = *this;
  copy.deleted_ = true;
  return copy;
}

ReadyState Observed::ready_state() const {
  if (deleting()) {
    return ReadyState::kTerminating;
  }
  if (verdict_.vacant) {
    return ReadyState::kProgressing;
  }
  if (verdict_.ready) {
    return *verdict_.ready ? ReadyState::kReady : ReadyState::kProgressing;
  }
  const Value* state = value_->find(kReadyState);
  return state == nullptr ? ReadyState::kProgressing : static_cast<ReadyState>(state->as_int());
}

std::string_view Observed::ready_message() const {
  if (deleting()) {
    return kBeingDeleted;
  }
  if (verdict_.vacant) {
    return "does not count according to its rule, and is replaced later, like others before it";
  }
  if (verdict_.ready) {
    return *verdict_.ready ? "" : "not ready according to its rule";
  }
  return value_->string_at({kReadyMessage});
}

}  // namespace chartwright::release
