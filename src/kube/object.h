// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::kube {

/// API group and kind, which identify a type independently of its version. "" is the core group.
struct GroupKind {
  std::string group;
  std::string kind;
  auto operator<=>(const GroupKind&) const = default;
  /// "Deployment.apps", "Service".
  std::string to_string() const;
};

/// API group, version and kind.
struct Gvk {
  std::string group;
  std::string version;
  std::string kind;
  auto operator<=>(const Gvk&) const = default;
  /// The `apiVersion` of an object: "apps/v1", "v1".
  std::string api_version() const;
  GroupKind group_kind() const { return {group, kind}; }
  /// "apps/v1, Kind=Deployment", "/v1, Kind=Pod", as Go's GroupVersionKind prints.
  std::string to_string() const;
  /// Splits `api_version` at its slash. Never fails: a string without a slash is a version of the
  /// core group.
  static Gvk from_api_version(std::string_view api_version, std::string_view kind);
};

/// Identifies one object. Refs are compared, ordered and hashed by group, kind, namespace and name.
/// The version is ignored: it only says how to address the object, and the object is the same in
/// every version.
struct ObjectRef {
  Gvk gvk;
  std::string ns;  ///< Empty for cluster-scoped objects.
  std::string name;
  GroupKind group_kind() const { return gvk.group_kind(); }
  bool operator==(const ObjectRef& other) const;
  std::strong_ordering operator<=>(const ObjectRef& other) const;
  /// "Deployment.apps ns/name", "Namespace name"; without a name "Deployment.apps in ns".
  std::string to_string() const;
};

/// An entry of metadata.ownerReferences.
struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;
};

// Accessors for object metadata. They accept an `object` of any shape (the API server is trusted, a
// chart is not): a missing or ill-typed field reads as empty. The views are valid for as long as
// `object`.

Gvk gvk_of(const value::Value& object);
ObjectRef ref_of(const value::Value& object);
std::string_view name_of(const value::Value& object);
std::string_view namespace_of(const value::Value& object);
std::string_view uid_of(const value::Value& object);
std::string_view resource_version_of(const value::Value& object);
/// 0 when absent.
int64_t generation_of(const value::Value& object);
/// An RFC 3339 time; empty unless the object is being deleted.
std::string_view deletion_timestamp_of(const value::Value& object);
inline bool is_deleting(const value::Value& object) {
  return !deletion_timestamp_of(object).empty();
}
/// nullopt when the label is absent.
std::optional<std::string_view> label_of(const value::Value& object, std::string_view key);
std::optional<std::string_view> annotation_of(const value::Value& object, std::string_view key);
std::vector<OwnerReference> owner_references_of(const value::Value& object);
std::vector<std::string> finalizers_of(const value::Value& object);
/// Reports whether an owner reference of `object` has the uid `owner_uid`.
bool is_owned_by(const value::Value& object, std::string_view owner_uid);
/// Reports whether `gvk` is core/v1 Secret, whose contents never reach a log, an error or a cache.
bool is_secret(const Gvk& gvk);

/// Compares two resourceVersions of one resource as integers of any length. Returns nullopt when
/// either is not a decimal number; only equality is then meaningful. Source: KEP-5504.
std::optional<std::strong_ordering> compare_resource_versions(std::string_view a,
                                                              std::string_view b);
/// Reports whether a resourceVersion is known to be older than another one of its resource.
bool is_older_version(std::string_view version, std::string_view than);
/// Reports whether it is newer; versions that cannot be compared are taken for newer.
bool may_be_newer_version(std::string_view version, std::string_view than);

/// Reports whether `text` may be sent as a path segment for a namespace or object name: not empty,
/// not "." or "..", without '/' and '%'. Source: k8s.io/apimachinery path.IsValidPathSegmentName.
bool is_path_segment(std::string_view text);

}  // namespace chartwright::kube

template <>
struct std::hash<chartwright::kube::ObjectRef> {
  size_t operator()(const chartwright::kube::ObjectRef& ref) const noexcept;
};
