// SPDX-License-Identifier: Apache-2.0
#include "kube/object.h"

#include <algorithm>
#include <initializer_list>
#include <tuple>

#include "base/strings.h"

namespace chartwright::kube {
namespace {

using value::Value;

std::string_view metadata_string(const Value& object, std::string_view field) {
  return object.string_at({"metadata", field});
}

std::optional<std::string_view> metadata_entry(const Value& object, std::string_view map,
                                               std::string_view key) {
  const Value* entry = object.find_path({"metadata", map, key});
  if (entry == nullptr || !entry->is_string()) {
    return std::nullopt;
  }
  return std::string_view(entry->as_string());
}

std::string_view without_leading_zeros(std::string_view digits) {
  const size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view() : digits.substr(first);
}

auto identity(const ObjectRef& ref) {
  return std::tie(ref.gvk.group, ref.gvk.kind, ref.ns, ref.name);
}

}  // namespace

std::string GroupKind::to_string() const { return group.empty() ? kind : kind + "." + group; }

std::string Gvk::api_version() const { return group.empty() ? version : group + "/" + version; }

std::string Gvk::to_string() const { return group + "/" + version + ", Kind=" + kind; }

Gvk Gvk::from_api_version(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    return {"", std::string(api_version), std::string(kind)};
  }
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1)),
          std::string(kind)};
}

bool ObjectRef::operator==(const ObjectRef& other) const {
  return identity(*this) == identity(other);
}

std::strong_ordering ObjectRef::operator<=>(const ObjectRef& other) const {
  return identity(*this) <=> identity(other);
}

std::string ObjectRef::to_string() const {
  const std::string kind = group_kind().to_string();
  if (name.empty()) {
    return ns.empty() ? kind : kind + " in " + ns;
  }
  return kind + " " + (ns.empty() ? name : ns + "/" + name);
}

Gvk gvk_of(const Value& object) {
  return Gvk::from_api_version(object.string_at({"apiVersion"}), object.string_at({"kind"}));
}

ObjectRef ref_of(const Value& object) {
  return {gvk_of(object), std::string(namespace_of(object)), std::string(name_of(object))};
}

std::string_view name_of(const Value& object) { return metadata_string(object, "name"); }

std::string_view namespace_of(const Value& object) { return metadata_string(object, "namespace"); }

std::string_view uid_of(const Value& object) { return metadata_string(object, "uid"); }

std::string_view resource_version_of(const Value& object) {
  return metadata_string(object, "resourceVersion");
}

int64_t generation_of(const Value& object) {
  const Value* generation = object.find_path({"metadata", "generation"});
  return generation != nullptr && generation->is_int() ? generation->as_int() : 0;
}

std::string_view deletion_timestamp_of(const Value& object) {
  return metadata_string(object, "deletionTimestamp");
}

std::optional<std::string_view> label_of(const Value& object, std::string_view key) {
  return metadata_entry(object, "labels", key);
}

std::optional<std::string_view> annotation_of(const Value& object, std::string_view key) {
  return metadata_entry(object, "annotations", key);
}

std::vector<OwnerReference> owner_references_of(const Value& object) {
  std::vector<OwnerReference> owners;
  for (const Value& entry : object.items_at({"metadata", "ownerReferences"})) {
    owners.push_back({std::string(entry.string_at({"apiVersion"})),
                      std::string(entry.string_at({"kind"})),
                      std::string(entry.string_at({"name"})), std::string(entry.string_at({"uid"})),
                      entry.bool_at({"controller"}), entry.bool_at({"blockOwnerDeletion"})});
  }
  return owners;
}

std::vector<std::string> finalizers_of(const Value& object) {
  std::vector<std::string> finalizers;
  for (const Value& entry : object.items_at({"metadata", "finalizers"})) {
    if (entry.is_string()) {
      finalizers.push_back(entry.as_string());
    }
  }
  return finalizers;
}

bool is_owned_by(const Value& object, std::string_view owner_uid) {
  return !owner_uid.empty() && std::ranges::any_of(object.items_at({"metadata", "ownerReferences"}),
                                                   [&](const Value& entry) {
                                                     return entry.string_at({"uid"}) == owner_uid;
                                                   });
}

bool is_secret(const Gvk& gvk) { return gvk.group.empty() && gvk.kind == "Secret"; }

std::optional<std::strong_ordering> compare_resource_versions(std::string_view a,
                                                              std::string_view b) {
  if (!base::is_all_digits(a) || !base::is_all_digits(b)) {
    return std::nullopt;
  }
  const std::string_view x = without_leading_zeros(a);
  const std::string_view y = without_leading_zeros(b);
  return x.size() != y.size() ? x.size() <=> y.size() : x.compare(y) <=> 0;
}

bool is_older_version(std::string_view version, std::string_view than) {
  return compare_resource_versions(version, than) == std::strong_ordering::less;
}

bool may_be_newer_version(std::string_view version, std::string_view than) {
  const auto order = compare_resource_versions(version, than);
  return !order || *order == std::strong_ordering::greater;
}

bool is_path_segment(std::string_view text) {
  return !text.empty() && text != "." && text != ".." &&
         text.find_first_of("/%") == std::string_view::npos;
}

}  // namespace chartwright::kube

size_t std::hash<chartwright::kube::ObjectRef>::operator()(
    const chartwright::kube::ObjectRef& ref) const noexcept {
  size_t seed = 0;
  for (const std::string* part : {&ref.gvk.group, &ref.gvk.kind, &ref.ns, &ref.name}) {
    // Boost's mixing step, so that equal parts do not cancel each other out.
    seed ^= std::hash<std::string>()(*part) + 0x9e3779b97f4a7c15U + (seed << 6) + (seed >> 2);
  }
  return seed;
}
