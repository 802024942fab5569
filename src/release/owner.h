// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/discovery.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::release {

// helm-operator's marks, kept so that projects can move in both directions.
// Source: operator-framework/operator-sdk internal/helm/client/client.go, operator-lib handler.
inline constexpr std::string_view kChartLabel = "helm.sdk.operatorframework.io/chart";
inline constexpr std::string_view kOwnerAnnotation = "operator-sdk/primary-resource";
inline constexpr std::string_view kOwnerTypeAnnotation = "operator-sdk/primary-resource-type";
inline constexpr std::string_view kResourcePolicyAnnotation = "helm.sh/resource-policy";
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kReleaseNameAnnotation = "meta.helm.sh/release-name";
inline constexpr std::string_view kReleaseNamespaceAnnotation = "meta.helm.sh/release-namespace";

/// The custom resource that children belong to.
struct Owner {
  kube::Gvk gvk;
  std::string ns;  ///< Empty for a cluster-scoped custom resource.
  std::string name;
  std::string uid;
  /// The release's namespace if the custom resource is cluster-scoped; "": there is none.
  std::string home = {};

  kube::ObjectRef ref() const { return {gvk, ns, name}; }
  /// Where its revisions are kept, and children whose template names no namespace.
  const std::string& release_namespace() const { return ns.empty() ? home : ns; }
};

/// Whether `helm.sh/resource-policy: keep` stands on the object.
bool has_keep_policy(const value::Value& object);

/// Whether garbage collection can follow an owner reference from such a child to `owner`: only in
/// the owner's namespace, or anywhere if the owner is cluster-scoped.
bool can_reference(const Owner& owner, kube::Scope child_scope, std::string_view child_ns);

/// Writes the marks of ownership into `object`, an unshared rendered child: the controller
/// reference (replacing what the template has), or annotations where a reference cannot reach or
/// the object is to be kept; the chart label; Helm's ownership label and annotations.
void stamp_child(value::Value& object, const Owner& owner, kube::Scope scope,
                 std::string_view chart_name);

/// The reference to the owner that children and revision Secrets carry.
value::Value owner_reference(const Owner& owner);

enum class Claim : uint8_t { kOurs, kNobody, kOther };

/// Who owns a live object, as its controller reference or owner annotations say.
Claim claim_on(const value::Value& live, const Owner& owner);

/// "BookStore default/a" or the like for error texts; empty when nobody owns it.
std::string describe_owner(const value::Value& live);

}  // namespace chartwright::release
