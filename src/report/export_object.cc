// SPDX-License-Identifier: Apache-2.0
#include "report/export_object.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "resource/annotations.h"
#include "value/merge_patch.h"

namespace chartwright::cmd {
namespace {

using value::Dict;
using value::Value;

// Controllers of volumes set these when they bind a claim.
constexpr std::array<std::string_view, 5> kBinding = {
    "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller",
    "volume.kubernetes.io/selected-node", "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner"};
// The API server gives this one to each claim.
constexpr std::string_view kClaimProtection = "kubernetes.io/pvc-protection";

bool is_claim(const Value& object) {
  return object.string_at({"apiVersion"}) == "v1" &&
         object.string_at({"kind"}) == "PersistentVolumeClaim";
}

Value annotations_of(const Value& all, bool drops_binding) {
  Value kept = Value::dict();
  for (const auto& [key, text] : all.as_dict()) {
    const bool is_binding = std::ranges::find(kBinding, key) != kBinding.end();
    if (key != op::kLastApplied && !(drops_binding && is_binding)) {
      kept.mutable_dict().set(key, text);
    }
  }
  return kept;
}

Value finalizers_of(const Value& all) {
  std::vector<Value> kept;
  std::ranges::copy_if(all.as_list().items, std::back_inserter(kept), [](const Value& one) {
    return one.is_string() && one.as_string() != kClaimProtection;
  });
  return Value::list(std::move(kept));
}

Value metadata_of(const Value& metadata, bool drops_binding) {
  Value kept = Value::dict();
  Dict& members = kept.mutable_dict();
  for (const auto& [key, member] : metadata.as_dict()) {
    if (key == "name" || key == "namespace" || key == "labels") {
      members.set(key, member);
    } else if (key == "annotations" && member.is_dict()) {
      Value annotations = annotations_of(member, drops_binding);
      if (!annotations.as_dict().empty()) {
        members.set(key, std::move(annotations));
      }
    } else if (key == "finalizers" && member.is_list()) {
      Value finalizers = finalizers_of(member);
      if (!finalizers.as_list().items.empty()) {
        members.set(key, std::move(finalizers));
      }
    }
  }
  return kept;
}

}  // namespace

Value exported(const Value& object, Volumes volumes) {
  Value kept = Value::dict();
  if (!object.is_dict()) {
    return kept;
  }
  const bool drops_binding = volumes == Volumes::kNew && is_claim(object);
  for (const auto& [key, member] : object.as_dict()) {
    if (key == "metadata" && member.is_dict()) {
      kept.mutable_dict().set(key, metadata_of(member, drops_binding));
    } else if (key == "spec" && member.is_dict() && drops_binding) {
      Value spec = value::deep_copy(member);
      spec.mutable_dict().erase("volumeName");
      kept.mutable_dict().set(key, std::move(spec));
    } else if (key != "status" && key != "metadata") {
      kept.mutable_dict().set(key, member);
    }
  }
  return kept;
}

Value with_pause(const Value& cr) {
  const Value annotations =
      Value::dict({{op::kPaused, Value::string("restored from an export; remove this to go on")}});
  return value::merge_patched(
      cr, Value::dict({{"metadata", Value::dict({{"annotations", annotations}})}}));
}

}  // namespace chartwright::cmd
