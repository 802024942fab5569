// SPDX-License-Identifier: Apache-2.0
#include "health/selected.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"

namespace chartwright::health {
namespace {

using value::Value;

std::optional<kube::OwnerReference> controller_of(const Value& object) {
  for (kube::OwnerReference& reference : kube::owner_references_of(object)) {
    if (reference.controller) {
      return std::move(reference);
    }
  }
  return std::nullopt;
}

/// Reports whether the controller is a ReplicaSet of a Deployment. It has the name of the
/// Deployment and the hash that its pods have, too.
/// Source: kubernetes/kubernetes pkg/controller/deployment/sync.go getNewReplicaSet.
bool is_set_of(const Value& deployment, const kube::OwnerReference& controller, const Value& pod) {
  const auto hash = kube::label_of(pod, "pod-template-hash");
  return controller.kind == "ReplicaSet" && hash &&
         controller.name == std::string(kube::name_of(deployment)) + "-" + std::string(*hash);
}

/// Reports whether the name of a claim is TEMPLATE-SET-ORDINAL.
/// Source: kubernetes/kubernetes pkg/controller/statefulset/stateful_set_utils.go
/// getPersistentVolumeClaimName.
bool is_claim_name(std::string_view name, const Value& set) {
  const Value* templates = set.find_path({"spec", "volumeClaimTemplates"});
  if (templates == nullptr || !templates->is_list()) {
    return false;
  }
  return std::ranges::any_of(templates->as_list().items, [&](const Value& claim) {
    const std::string start =
        std::string(kube::name_of(claim)) + "-" + std::string(kube::name_of(set)) + "-";
    return name.starts_with(start) && name.size() > start.size() &&
           std::ranges::all_of(name.substr(start.size()), base::is_ascii_digit<char>);
  });
}

}  // namespace

bool belongs_to(const Value& child, const kube::GroupKind& kind, const Value& object) {
  const kube::GroupKind maker = kube::gvk_of(child).group_kind();
  if (maker == kube::GroupKind{"apps", "StatefulSet"} &&
      kind == kube::GroupKind{"", "PersistentVolumeClaim"}) {
    return is_claim_name(kube::name_of(object), child);
  }
  const std::optional<kube::OwnerReference> controller = controller_of(object);
  const bool makes_objects = maker.group == "apps" || maker.group == "batch";
  if (!controller || !makes_objects) {
    return true;
  }
  if (maker == kube::GroupKind{"apps", "Deployment"} && kind == kube::GroupKind{"", "Pod"}) {
    return is_set_of(child, *controller, object);
  }
  return controller->uid == kube::uid_of(child);
}

}  // namespace chartwright::health
