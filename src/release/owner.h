// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/signer.h"
#include "fields/manager.h"
#include "kube/discovery.h"
#include "kube/names.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::release {

// helm-operator's labels and annotations, kept so that projects can migrate in both directions.
// Source: operator-framework/operator-sdk internal/helm/client/client.go, operator-lib handler.
inline constexpr std::string_view kChartLabel = "helm.sdk.operatorframework.io/chart";
inline constexpr std::string_view kOwnerAnnotation = "operator-sdk/primary-resource";
inline constexpr std::string_view kOwnerTypeAnnotation = "operator-sdk/primary-resource-type";
inline constexpr std::string_view kResourcePolicyAnnotation = "helm.sh/resource-policy";
/// With the value "orphan", set by the rule `onDelete: orphan`: deleting the child leaves what it
/// owns. Read from the live object, whose rule may be gone with its template.
inline constexpr std::string_view kOnDeleteAnnotation = "chartwright.io/on-delete";
/// Set by a template: the rendered name of the child is only its slot, and its live name is one of
/// those that begin with the annotation's value (names.h).
inline constexpr std::string_view kGenerateNameAnnotation = "chartwright.io/generate-name";
/// The slot of a child whose live name is generated.
inline constexpr std::string_view kSlotAnnotation = "chartwright.io/slot";
/// On an object without an owner: the custom resource that may take it over, "namespace/name" as
/// name_text gives it.
inline constexpr std::string_view kAdoptableBy = "chartwright.io/adoptable-by";
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kReleaseNameAnnotation = "meta.helm.sh/release-name";
inline constexpr std::string_view kReleaseNamespaceAnnotation = "meta.helm.sh/release-namespace";

/// The custom resource that children belong to.
struct Owner {
  kube::Gvk gvk;
  std::string ns;  ///< Empty for a cluster-scoped custom resource.
  std::string name;
  std::string uid;
  /// The release's namespace if the custom resource is cluster-scoped; empty if there is none.
  std::string home = {};
  /// Signs the digests of its Secrets (secret_digest.h); nullopt: they have no key, and end with
  /// the process.
  std::optional<base::Signer> signer = {};

  kube::ObjectRef ref() const { return {gvk, ns, name}; }
  /// The namespace of its revisions, and of children whose template does not name one.
  const std::string& release_namespace() const { return ns.empty() ? home : ns; }
};

/// Returns the field manager of the children and partial objects of `owner`.
inline std::string field_manager_of(const Owner& owner) {
  return fields::manager_of_owner(owner.uid);
}

/// Reports whether `object` has the annotation `helm.sh/resource-policy: keep`.
bool has_keep_policy(const value::Value& object);

/// Reports whether `object` has the annotation `chartwright.io/on-delete: orphan`.
bool orphans_dependents(const value::Value& object);

/// Reports whether garbage collection can follow an owner reference from a child of that scope and
/// namespace to `owner`: only in the owner's namespace, or anywhere if the owner is cluster-scoped.
bool can_reference(const Owner& owner, kube::Scope child_scope, std::string_view child_ns);

/// Reports whether objects of `kind` hold data that no chart can make again: claims of volumes.
/// Garbage collection must not delete them: what a backup brings back refers to an owner that is
/// gone, so that it would delete them, and the volumes with them, within milliseconds.
bool holds_data(const kube::GroupKind& kind);

/// How the owner of an object that holds data is marked.
enum class DataMark : uint8_t {
  kAnnotations,
  kReference,  ///< The mark of earlier versions, and of hooks: no uninstall deletes those.
};

/// Sets an annotation of `object`, which is unshared. Annotations that are not a dict are replaced.
void set_annotation(value::Value& object, std::string_view key, std::string_view text);

/// Writes the ownership metadata into `object`, an unshared rendered child: the controller
/// reference (replacing the template's references), or annotations if a reference cannot reach the
/// owner or garbage collection must not delete the object; the chart label; Helm's ownership label
/// and annotations.
void stamp_child(value::Value& object, const Owner& owner, kube::Scope scope,
                 const kube::LabelValue& chart, DataMark mark = DataMark::kAnnotations);

/// Reports whether a live object that holds data refers to `owner`, so that garbage collection may
/// delete it: an earlier version, helm-operator or somebody else has set that.
bool has_stray_reference(const value::Value& live, const Owner& owner);

/// Returns the owner references of a live object without those to `owner`; nil, which in a merge
/// patch means "remove", if none is left.
value::Value other_owners(const value::Value& live, const Owner& owner);

/// Returns the reference to `owner` for its children and revision Secrets.
value::Value owner_reference(const Owner& owner);

enum class Claim : uint8_t { kOurs, kNobody, kOther };

/// Returns who owns a live object, according to its controller reference or owner annotations.
Claim claim_on(const value::Value& live, const Owner& owner);

/// Reports whether a live object has the marks by which Helm knows the objects of the owner's
/// release: the label, and name and namespace of the release. No two releases of a namespace have
/// the same name. Source: helm/helm v3 pkg/action/validate.go.
bool has_release_marks(const value::Value& live, const Owner& owner);

/// Returns "namespace/name" of a custom resource, or "/name" of a cluster-scoped one.
std::string name_text(const Owner& owner);

/// Reports whether a live object consents to be taken over by `owner`: by the annotation for that,
/// or by Helm's marks of its release. Those who may set these own the object.
bool consents(const value::Value& live, const Owner& owner);

/// Returns the part of the metadata of `desired`, a child stamped for `owner`, that makes a live
/// object ours, with the references that this has already, but for a stray one.
value::Value owner_marks(const value::Value& desired, const value::Value& live, const Owner& owner);

/// Describes the owner of a live object for error messages, such as "BookStore default/a"; empty if
/// it has none.
std::string describe_owner(const value::Value& live);

}  // namespace chartwright::release
