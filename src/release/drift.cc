// SPDX-License-Identifier: Apache-2.0
#include "release/drift.h"

#include <optional>
#include <utility>

namespace chartwright::release {
namespace {

DriftPolicy policy_for(const Desired& desired, const PlanInput& input) {
  if (input.drift_asked) {
    return *input.drift_asked;
  }
  return desired.rule != nullptr ? desired.rule->drift : DriftPolicy::kRepair;
}

// The digests of a Secret are lost with their key: one that is ours was applied, and may have
// changed.
bool has_lost_digest(const Step& step, const InventoryEntry& entry, const PlanInput& input) {
  const auto live = input.live(step.ref);
  return kube::is_secret(step.ref.gvk) && step.reason == Reason::kChanged &&
         entry.desired.empty() && live && live->claim(input.owner) == Claim::kOurs;
}

// Reports whether a step sets back what others did to a child that was applied in this form.
bool is_drift(const Step& step, const InventoryEntry& entry, const PlanInput& input,
              Occasion occasion) {
  if (occasion == Occasion::kRestore && has_lost_digest(step, entry, input)) {
    return true;
  }
  if (!was_applied(&entry) || entry.unverified || entry.desired != step.desired->digest) {
    return false;
  }
  switch (step.reason) {
    case Reason::kMissing:  // One that we deleted ourselves, to replace it, is not missing.
      return entry.deleted_uid.empty();
    case Reason::kDrifted:  // Without a digest, it is applied again for another cause.
      return !entry.observed.empty();
    case Reason::kOrphaned:
      return true;
    default:
      return false;
  }
}

void hold(const PlanInput& input, DriftPolicy policy, const KeptDrift& known, Step& step) {
  const auto live = input.live(step.ref);
  KeptDrift kept;
  kept.asked = input.drift_asked;
  kept.ignored = policy == DriftPolicy::kIgnore;
  if (!kept.ignored) {
    kept.change = live ? std::string_view(known.change) : kDeletedByOthers;
    kept.version = version_of(live);
    step.compares = live && (known.ignored || !is_noted(known, kept.version, input.drift_asked));
  }
  step.action = Action::kNone;
  step.reason = kept.ignored ? Reason::kDriftIgnored : Reason::kDriftKept;
  step.drift = std::move(kept);
}

}  // namespace

void hold_drift(const PlanInput& input, Occasion occasion, Plan& plan) {
  for (Step& step : plan) {
    const auto entry = input.inventory.find(step.ref);
    if (step.desired == nullptr || step.desired->role != Role::kChild ||
        entry == input.inventory.end() || !step.acts()) {
      continue;
    }
    const DriftPolicy policy = policy_for(*step.desired, input);
    if (policy != DriftPolicy::kRepair && is_drift(step, entry->second, input, occasion)) {
      hold(input, policy, entry->second.drift, step);
    }
  }
}

}  // namespace chartwright::release
