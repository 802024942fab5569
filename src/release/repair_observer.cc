// SPDX-License-Identifier: Apache-2.0
#include "release/repair_observer.h"

#include <utility>

namespace chartwright::release {
namespace {

// One that we deleted ourselves, to replace it, is not missing, and fields that are only taken over
// were not ours before.
bool reverts_others(const Step& step, const Inventory& inventory) {
  const auto entry = inventory.find(step.ref);
  if (entry == inventory.end() || !was_applied(&entry->second)) {
    return false;
  }
  if (step.action == Action::kCreate) {
    return step.reason == Reason::kMissing && entry->second.deleted_uid.empty();
  }
  return !entry->second.observed.empty() &&
         (step.reason == Reason::kDrifted || step.reason == Reason::kOrphaned);
}

}  // namespace

void RepairObserver::look(const Step& step, const Inventory& inventory) {
  before_ = value::Value();
  repairs_ = reverts_others(step, inventory);
  if (!repairs_ || step.action == Action::kCreate) {
    return;
  }
  auto live = client_.get(step.ref, call_);
  if (live.ok() && kube::uid_of(*live) == step.uid) {
    before_ = *std::move(live);
  }
}

void RepairObserver::note(const Step& step, const kube::Applied& applied) {
  if (!repairs_) {
    return;
  }
  const bool was_there = step.action == Action::kCreate && !applied.created;
  on_repair_(
      {step.ref, was_there ? Reason::kOrphaned : step.reason, std::move(before_), applied.object});
}

}  // namespace chartwright::release
