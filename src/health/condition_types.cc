// SPDX-License-Identifier: Apache-2.0
#include "health/condition_types.h"

#include <algorithm>

namespace chartwright::health {
namespace {

constexpr std::array<const ConditionType*, 22> kTypes = {&condition::kReady,
                                                         &condition::kReconciling,
                                                         &condition::kStalled,
                                                         &condition::kInitialized,
                                                         &condition::kDeployed,
                                                         &condition::kReleaseFailed,
                                                         &condition::kIrreconcilable,
                                                         &condition::kAmbiguousCreate,
                                                         &condition::kFieldsHeld,
                                                         &condition::kFieldsFrozen,
                                                         &condition::kFieldsLeftOut,
                                                         &condition::kUpdatesHeld,
                                                         &condition::kContested,
                                                         &condition::kDrifted,
                                                         &condition::kDefinitionsHeld,
                                                         &condition::kPaused,
                                                         &condition::kHooksSkipped,
                                                         &condition::kUnknownKeys,
                                                         &condition::kUnusedAnnotations,
                                                         &condition::kStatusPruned,
                                                         &condition::kUnverified,
                                                         &condition::kRolledBack};

}  // namespace

std::span<const std::string_view> ConditionType::reasons() const {
  const auto end = std::ranges::find(listed, std::string_view());
  return {listed.begin(), end};
}

std::span<const ConditionType* const> condition_types() { return kTypes; }

bool is_engine_condition(std::string_view type) {
  return std::ranges::any_of(kTypes,
                             [type](const ConditionType* known) { return known->name == type; });
}

}  // namespace chartwright::health
