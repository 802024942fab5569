// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "value/value.h"

namespace chartwright::health {

/// Begins the message of a condition that only names the one that says why.
inline constexpr std::string_view kReferenceMark = "see the condition ";

/// Returns the condition that has the whole text of an error: one of helm-operator's, or Ready.
/// Null if nothing has failed. `conditions` is the list in a status, and may be null or malformed.
const value::Value* error_condition(const value::Value* conditions);

/// A condition that holds a custom resource back. Refers to the conditions.
struct Hold {
  std::string_view reason;  ///< The type of the condition, or the reason why a rollback is refused.
  /// The one that says why: Stalled refers to another.
  const value::Value* condition = nullptr;

  std::string_view message() const { return condition->string_at({"message"}); }
};

/// Returns the worst condition of the engine that counts for more than whether the children are
/// ready: the resource is paused, or an error needs a person.
std::optional<Hold> grave_hold(const value::Value* conditions);

/// Returns the worst one that matters only once the children are ready: something of what was asked
/// for does not happen.
std::optional<Hold> mild_hold(const value::Value* conditions);

/// Returns all reasons that a hold may have, which Ready may have, too, beside its own.
std::span<const std::string_view> hold_reasons();

}  // namespace chartwright::health
