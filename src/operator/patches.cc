// SPDX-License-Identifier: Apache-2.0
#include "operator/patches.h"

#include <algorithm>
#include <set>

namespace chartwright::op {

using base::Error;
using base::ErrorCode;
using value::Value;

bool Patches::any(const Subject& subject) {
  return !subject.watch.bundle.patches.empty() ||
         std::ranges::any_of(subject.state.inventory, [](const auto& item) {
           return item.second.role == release::Role::kPartial;
         });
}

// While a child is missing, patches that follow from it are not given up: it is about to be back.
base::Status Patches::apply() {
  CW_TRY(const Value* data, view_.scope());
  CW_TRY(const auto objects, renders_.run(host::Source::kOperatorFolder, [this, data] {
    return subject_.services.renderer.render_patches(subject_.watch.bundle, *data);
  }));
  CW_TRY(const auto desired, applier_.desired_from(objects, release::Role::kPartial));
  CW_TRY_VOID(refuse_own(desired));
  CW_TRY_VOID(watch_targets(desired));
  if (applier_.writes_any(desired)) {
    CW_TRY_VOID(uninstall_.hold());
  }
  CW_TRY(const bool is_whole, view_.is_whole());
  return applier_.execute(desired, release::Role::kPartial,
                          is_whole ? Applier::Others::kPrune : Applier::Others::kKeep);
}

// A write to the custom resource asks for the next reconcile, and that one might write again.
base::Status Patches::refuse_own(const std::vector<release::Desired>& patches) const {
  const kube::ObjectRef own = subject_.owner.ref();
  const bool has_own = std::any_of(patches.begin(), patches.end(),
                                   [&own](const auto& patch) { return patch.ref == own; });
  if (!has_own) {
    return {};
  }
  return Error(ErrorCode::kInvalidArgument,
               "operator/patches: " + own.to_string() +
                   " is the custom resource itself, which no patch may take; " +
                   "operator/status.yaml writes its status");
}

// Objects that no `related` selects in that version are watched by name, so that no patch waits
// unseen, and that what is no longer selected can be given up.
base::Status Patches::watch_targets(const std::vector<release::Desired>& patches) {
  CW_TRY(const std::set<kube::ObjectRef> watched, view_.related_refs());
  std::set<kube::ObjectRef> targets;
  for (const release::Desired& patch : patches) {
    targets.insert(patch.ref);
  }
  for (const auto& [ref, entry] : subject_.state.inventory) {
    if (entry.role == release::Role::kPartial) {
      targets.insert(ref);
    }
  }
  std::erase_if(targets, [&watched](const kube::ObjectRef& ref) {
    const auto seen = watched.find(ref);
    return seen != watched.end() && seen->gvk == ref.gvk;
  });
  return subject_.services.caches.watch_targets(subject_.owner.ref(), targets,
                                                subject_.context.stop);
}

}  // namespace chartwright::op
