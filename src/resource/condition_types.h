// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace chartwright::op {

inline constexpr std::string_view kPausedCondition = "Paused";
inline constexpr std::string_view kStatusPruned = "StatusPruned";

/// A condition type of the engine, and what it means, as plain text.
struct ConditionHelp {
  std::string_view type;
  std::string_view meaning;
};

/// Returns all condition types of the engine, in the order of docs/reference/reference.md.
std::span<const ConditionHelp> condition_types();

}  // namespace chartwright::op
