// SPDX-License-Identifier: Apache-2.0
#include "health/holds.h"

#include <array>
#include <cstddef>
#include <utility>

#include "health/condition_types.h"
#include "health/conditions.h"

namespace chartwright::health {
namespace {

using value::Value;

// The worst first.
constexpr std::array kGrave = {&condition::kPaused, &condition::kStalled,
                               &condition::kIrreconcilable, &condition::kAmbiguousCreate};
constexpr std::array kMild = {
    &condition::kContested,    &condition::kRolledBack,      &condition::kFieldsHeld,
    &condition::kFieldsFrozen, &condition::kFieldsLeftOut,   &condition::kUpdatesHeld,
    &condition::kDrifted,      &condition::kDefinitionsHeld, &condition::kUnverified,
    &condition::kStatusPruned, &condition::kUnknownKeys,     &condition::kUnusedAnnotations,
    &condition::kHooksSkipped};

// Returns the condition that the message of one names, or that one.
const Value* referred(const Value* conditions, const Value& condition) {
  const std::string_view message = condition.string_at({"message"});
  if (!message.starts_with(kReferenceMark)) {
    return &condition;
  }
  const Value* found = find_condition(conditions, message.substr(kReferenceMark.size()));
  return found != nullptr ? found : &condition;
}

template <size_t kNumber>
std::optional<Hold> first_of(const Value* conditions,
                             const std::array<const ConditionType*, kNumber>& types) {
  for (const ConditionType* type : types) {
    const Value* found = find_condition(conditions, type->name);
    if (found == nullptr) {
      continue;
    }
    const bool holds = found->string_at({"status"}) == "True";
    if (holds && type == &condition::kStalled) {
      return Hold{type->name, referred(conditions, *found)};
    }
    if (holds || type == &condition::kRolledBack) {  // False where a rollback is refused.
      return Hold{holds ? type->name : found->string_at({"reason"}), found};
    }
  }
  return std::nullopt;
}

}  // namespace

const Value* error_condition(const Value* conditions) {
  for (const auto& [type, status] : {std::pair{&condition::kIrreconcilable, "True"},
                                     {&condition::kReleaseFailed, "True"},
                                     {&condition::kReady, "False"}}) {
    const Value* found = find_condition(conditions, type->name);
    if (found != nullptr && found->string_at({"status"}) == status) {
      return found;
    }
  }
  return nullptr;
}

std::optional<Hold> grave_hold(const Value* conditions) { return first_of(conditions, kGrave); }

std::optional<Hold> mild_hold(const Value* conditions) { return first_of(conditions, kMild); }

std::span<const std::string_view> hold_reasons() {
  static constexpr auto kReasons = [] {
    std::array<std::string_view, kGrave.size() + kMild.size() + 1> all{reason::kRollbackRefused};
    auto* next = all.begin() + 1;
    for (const ConditionType* type : kGrave) {
      *next++ = type->name;
    }
    for (const ConditionType* type : kMild) {
      *next++ = type->name;
    }
    return all;
  }();
  return kReasons;
}

}  // namespace chartwright::health
