// SPDX-License-Identifier: Apache-2.0
#include "release/owner.h"

#include <utility>
#include <vector>

#include "base/strings.h"

namespace chartwright::release {
namespace {

using value::Value;

// Returns a writable dict member. If it is missing or not a dict, replaces it with an empty dict.
Value& dict_member(value::Dict& dict, std::string_view key) {
  Value& member = dict.at_or_insert(key);
  if (!member.is_dict()) {
    member = Value::dict();
  }
  return member;
}

// "Kind.group", the form of the owner-type annotation.
std::string type_text(const kube::Gvk& gvk) { return gvk.group_kind().to_string(); }

// Copies an entry of a dict in the metadata of `from` to `to`.
void copy_entry(const Value& from, std::string_view member, std::string_view key, Value& to) {
  if (const Value* found = from.find_path({"metadata", member, key})) {
    dict_member(to.mutable_dict(), member).mutable_dict().set(key, *found);
  }
}

}  // namespace

bool has_keep_policy(const Value& object) {
  auto policy = kube::annotation_of(object, kResourcePolicyAnnotation);
  return policy && base::to_lower_ascii(base::trim(*policy)) == "keep";
}

bool orphans_dependents(const Value& object) {
  return kube::annotation_of(object, kOnDeleteAnnotation) == "orphan";
}

bool can_reference(const Owner& owner, kube::Scope child_scope, std::string_view child_ns) {
  if (owner.ns.empty()) {
    return true;
  }
  return child_scope == kube::Scope::kNamespaced && child_ns == owner.ns;
}

bool holds_data(const kube::GroupKind& kind) {
  return kind == kube::GroupKind{"", "PersistentVolumeClaim"};
}

bool has_stray_reference(const Value& live, const Owner& owner) {
  return holds_data(kube::gvk_of(live).group_kind()) && kube::is_owned_by(live, owner.uid);
}

Value other_owners(const Value& live, const Owner& owner) {
  std::vector<Value> others;
  for (const Value& reference : live.items_at({"metadata", "ownerReferences"})) {
    if (reference.string_at({"uid"}) != owner.uid) {
      others.push_back(reference);
    }
  }
  return others.empty() ? Value() : Value::list(std::move(others));
}

Value owner_reference(const Owner& owner) {
  return Value::dict({{"apiVersion", Value::string(owner.gvk.api_version())},
                      {"blockOwnerDeletion", Value::boolean(true)},
                      {"controller", Value::boolean(true)},
                      {"kind", Value::string(owner.gvk.kind)},
                      {"name", Value::string(owner.name)},
                      {"uid", Value::string(owner.uid)}});
}

void set_annotation(Value& object, std::string_view key, std::string_view text) {
  value::Dict& metadata = dict_member(object.mutable_dict(), "metadata").mutable_dict();
  dict_member(metadata, "annotations").mutable_dict().set(key, Value::string(text));
}

void stamp_child(Value& object, const Owner& owner, kube::Scope scope,
                 const kube::LabelValue& chart, DataMark mark) {
  value::Dict& metadata = dict_member(object.mutable_dict(), "metadata").mutable_dict();
  value::Dict& labels = dict_member(metadata, "labels").mutable_dict();
  labels.set(kChartLabel, Value::string(chart.text()));
  labels.set(kManagedByLabel, Value::string("Helm"));
  value::Dict& annotations = dict_member(metadata, "annotations").mutable_dict();
  annotations.set(kReleaseNameAnnotation, Value::string(owner.name));
  annotations.set(kReleaseNamespaceAnnotation, Value::string(owner.release_namespace()));
  const bool may_be_collected =
      mark == DataMark::kReference || !holds_data(kube::gvk_of(object).group_kind());
  if (may_be_collected && can_reference(owner, scope, kube::namespace_of(object)) &&
      !has_keep_policy(object) && !orphans_dependents(object)) {
    metadata.set("ownerReferences", Value::list({owner_reference(owner)}));
  } else {
    metadata.erase("ownerReferences");
    annotations.set(kOwnerAnnotation, Value::string(name_text(owner)));
    annotations.set(kOwnerTypeAnnotation, Value::string(type_text(owner.gvk)));
  }
}

Claim claim_on(const Value& live, const Owner& owner) {
  for (const kube::OwnerReference& reference : kube::owner_references_of(live)) {
    if (reference.controller) {
      return reference.uid == owner.uid ? Claim::kOurs : Claim::kOther;
    }
  }
  auto name = kube::annotation_of(live, kOwnerAnnotation);
  auto type = kube::annotation_of(live, kOwnerTypeAnnotation);
  if (!name || !type) {
    return Claim::kNobody;
  }
  return *name == name_text(owner) && *type == type_text(owner.gvk) ? Claim::kOurs : Claim::kOther;
}

std::string name_text(const Owner& owner) { return owner.ns + "/" + owner.name; }

bool consents(const Value& live, const Owner& owner) {
  return kube::annotation_of(live, kAdoptableBy) == name_text(owner) ||
         has_release_marks(live, owner);
}

bool has_release_marks(const Value& live, const Owner& owner) {
  return kube::label_of(live, kManagedByLabel) == "Helm" &&
         kube::annotation_of(live, kReleaseNameAnnotation) == owner.name &&
         kube::annotation_of(live, kReleaseNamespaceAnnotation) == owner.release_namespace();
}

Value owner_marks(const Value& desired, const Value& live, const Owner& owner) {
  Value marks = Value::dict();
  copy_entry(desired, "labels", kChartLabel, marks);
  copy_entry(desired, "annotations", kOwnerAnnotation, marks);
  copy_entry(desired, "annotations", kOwnerTypeAnnotation, marks);
  std::vector<Value> references = desired.items_at({"metadata", "ownerReferences"});
  if (!references.empty()) {
    const std::vector<Value>& theirs = live.items_at({"metadata", "ownerReferences"});
    references.insert(references.end(), theirs.begin(), theirs.end());
    marks.mutable_dict().set("ownerReferences", Value::list(std::move(references)));
  } else if (has_stray_reference(live, owner)) {
    marks.mutable_dict().set("ownerReferences", other_owners(live, owner));
  }
  return marks;
}

std::string describe_owner(const Value& live) {
  for (const kube::OwnerReference& reference : kube::owner_references_of(live)) {
    if (reference.controller) {
      return reference.kind + " " + reference.name + " (uid " + reference.uid + ")";
    }
  }
  auto name = kube::annotation_of(live, kOwnerAnnotation);
  auto type = kube::annotation_of(live, kOwnerTypeAnnotation);
  if (!name || !type) {
    return "";
  }
  return std::string(*type) + " " + std::string(*name) + " (annotation " +
         std::string(kOwnerAnnotation) + ")";
}

}  // namespace chartwright::release
