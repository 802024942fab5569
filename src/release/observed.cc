// SPDX-License-Identifier: Apache-2.0
#include "release/observed.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "fields/projection.h"
#include "kube/object.h"
#include "value/compare.h"
#include "value/packed.h"
#include "value/path.h"

namespace chartwright::release {
namespace {

using value::Value;

// Members that condense() adds to those of the object. Kubernetes objects have no members with a
// dot in their name.
constexpr std::string_view kProjection = "cw.projection";
constexpr std::string_view kReadyState = "cw.ready";
constexpr std::string_view kReadyMessage = "cw.message";
constexpr std::string_view kBody = "cw.body";
// The owner was not written by us. Few cached objects have it, so it takes no memory of the others.
constexpr std::string_view kForeignOwner = "cw.foreign";
// Few objects have an end either.
constexpr std::string_view kEnding = "cw.ending";
// apiVersion, kind, metadata and the first four of these.
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
    if (metadata.find("ownerReferences") == nullptr) {  // Only then does it matter.
      for (std::string_view key :
           {kAdoptableBy, kReleaseNameAnnotation, kReleaseNamespaceAnnotation}) {
        copy_member(annotations->as_dict(), kept.mutable_dict(), key);
      }
    }
    if (!kept.as_dict().empty()) {
      out.mutable_dict().set("annotations", kept);
    }
    const Value* labels = metadata.find("labels");
    if (kept.find(kReleaseNameAnnotation) != nullptr && labels != nullptr && labels->is_dict()) {
      Value marks = Value::dict();
      copy_member(labels->as_dict(), marks.mutable_dict(), kManagedByLabel);
      out.mutable_dict().set("labels", marks);
    }
  }
  return out;
}

// The place of the controller among the owner references; nullopt if nothing controls the object.
std::optional<size_t> controller_of(const Value& object) {
  const std::vector<Value>& references = object.items_at({"metadata", "ownerReferences"});
  const auto found = std::ranges::find_if(
      references, [](const Value& reference) { return reference.bool_at({"controller"}); });
  return found == references.end() ? std::nullopt
                                   : std::optional(static_cast<size_t>(found - references.begin()));
}

// The manager of the custom resource that controls the object; empty if nothing does.
std::string manager_of_controller(const Value& object) {
  const auto place = controller_of(object);
  return place ? fields::manager_of_owner(
                     object.items_at({"metadata", "ownerReferences"})[*place].string_at({"uid"}))
               : "";
}

// The field that says who owns the object; nullopt if it has no owner.
std::optional<value::Path> mark_of_owner(const Value& object) {
  if (const auto place = controller_of(object)) {
    return value::Path({"metadata", "ownerReferences", *place});
  }
  if (kube::annotation_of(object, kOwnerAnnotation) &&
      kube::annotation_of(object, kOwnerTypeAnnotation)) {
    return value::Path({"metadata", "annotations", std::string(kOwnerAnnotation)});
  }
  return std::nullopt;
}

// One text, since most objects have one manager, that of the custom resource that controls them:
// its digest alone. Others are "manager=digest".
std::string text_of(const std::vector<fields::AppliedPart>& parts, const Value& object) {
  const std::string implied = parts.empty() ? "" : manager_of_controller(object);
  std::string text;
  for (const fields::AppliedPart& part : parts) {
    text += text.empty() ? "" : " ";
    text += part.manager == implied && !part.digest.empty() ? "" : part.manager + "=";
    text += part.digest;
  }
  return text;
}

/// A part of that text.
struct PartView {
  std::string_view manager;  ///< Empty: that of the controller.
  std::string_view digest;
};

std::vector<PartView> parts_in(std::string_view text) {
  std::vector<PartView> parts;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const size_t equals = one.find('=');
    parts.push_back(equals == std::string_view::npos
                        ? PartView{"", one}
                        : PartView{one.substr(0, equals), one.substr(equals + 1)});
  }
  return parts;
}

// Reports whether two texts are equal but for the numbers in them.
bool equal_but_numbers(std::string_view a, std::string_view b) {
  const auto skip_number = [](std::string_view& text) {
    const size_t length = static_cast<size_t>(
        std::ranges::find_if_not(text, base::is_ascii_digit<char>) - text.begin());
    text.remove_prefix(length);
    return length > 0;
  };
  while (!a.empty() && !b.empty()) {
    const bool had_number = skip_number(a);
    if (skip_number(b) != had_number) {
      return false;
    }
    if (had_number) {
      continue;
    }
    if (a.front() != b.front()) {
      return false;
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && b.empty();
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

Value condense(const Value& object, KeepBody keep) {
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
  const std::optional<value::Path> mark = mark_of_owner(object);
  const fields::OurFields ours = fields::our_fields(object, mark);
  if (!ours.parts.empty()) {
    members.set(kProjection, Value::string(text_of(ours.parts, object)));
  }
  if (mark && !ours.has_mark) {
    members.set(kForeignOwner, Value::boolean(true));
  }
  health::Readiness readiness = health::readiness_of(object);
  members.set(kReadyState, Value::integer(static_cast<int64_t>(readiness.state)));
  if (!readiness.message.empty()) {
    members.set(kReadyMessage, Value::string(std::move(readiness.message)));
  }
  if (const auto ending = health::ending_of(object)) {
    members.set(kEnding, Value::string(health::to_text(*ending)));
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
  constexpr std::array<std::string_view, 4> kMembers = {"apiVersion", "kind", kProjection,
                                                        kForeignOwner};
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
  const std::string_view said = before.string_at({kReadyMessage});
  const std::string_view says = after.string_at({kReadyMessage});
  const bool shown = before.find(kBody) != nullptr || after.find(kBody) != nullptr ||
                     !same(before.find(kReadyState), after.find(kReadyState)) ||
                     !equal_but_numbers(said, says);
  if (shown) {
    return Difference::kShown;
  }
  return said == says ? Difference::kNone : Difference::kRecounted;
}

std::string_view Observed::uid() const { return kube::uid_of(*value_); }
std::string_view Observed::resource_version() const { return kube::resource_version_of(*value_); }
bool Observed::deleting() const { return deleted_ || kube::is_deleting(*value_); }
bool Observed::keep_policy() const { return has_keep_policy(*value_); }
kube::Propagation Observed::propagation() const {
  return orphans_dependents(*value_) ? kube::Propagation::kOrphan : kube::Propagation::kBackground;
}

std::optional<std::string_view> Observed::digest_of(std::string_view manager) const {
  for (const PartView& part : parts_in(value_->string_at({kProjection}))) {
    if (part.manager.empty() ? manager_of_controller(*value_) == manager
                             : part.manager == manager) {
      return part.digest;
    }
  }
  return std::nullopt;
}

std::string_view Observed::projection(const Owner& owner) const {
  return digest_of(field_manager_of(owner)).value_or("");
}

bool Observed::has_fields_of(const Owner& owner) const {
  return digest_of(field_manager_of(owner)).has_value();
}

bool Observed::has_shared_fields() const { return digest_of(fields::kFieldManager).has_value(); }

std::string Observed::fields_of_others(const Owner& owner) const {
  const std::string own = field_manager_of(owner);
  const std::string controller = manager_of_controller(*value_);
  std::string text;
  for (const PartView& part : parts_in(value_->string_at({kProjection}))) {
    const std::string_view manager = part.manager.empty() ? controller : part.manager;
    if (manager != own && manager != fields::kFieldManager) {
      text += std::string(manager) + "=" + std::string(part.digest) + " ";
    }
  }
  return text;
}

bool Observed::is_child() const {
  return mark_of_owner(*value_).has_value() && value_->find(kForeignOwner) == nullptr;
}

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

health::ReadyState Observed::ready_state() const {
  if (deleting()) {
    return health::ReadyState::kTerminating;
  }
  if (verdict_.backs_off) {
    return health::ReadyState::kProgressing;
  }
  if (verdict_.ready) {
    return *verdict_.ready ? health::ReadyState::kReady : health::ReadyState::kProgressing;
  }
  const Value* state = value_->find(kReadyState);
  return state == nullptr ? health::ReadyState::kProgressing
                          : static_cast<health::ReadyState>(state->as_int());
}

std::string_view Observed::ready_message() const {
  if (deleting()) {
    return health::kBeingDeleted;
  }
  if (verdict_.backs_off) {
    return "does not count according to its rule, and is replaced later, like others before it";
  }
  if (verdict_.ready) {
    return *verdict_.ready ? "" : "not ready according to its rule";
  }
  return value_->string_at({kReadyMessage});
}

std::optional<health::Ending> Observed::ending() const {
  return health::ending_in(value_->string_at({kEnding}));
}

}  // namespace chartwright::release
