// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "value/value.h"

namespace chartwright::health {

/// Returns the condition of that type in the list `conditions` of a status; nullptr where there is
/// none, and where `conditions` is null or no list.
const value::Value* find_condition(const value::Value* conditions, std::string_view type);
/// Returns the condition of that type in the status of a live object; nullptr if it has none.
const value::Value* condition_of(const value::Value& object, std::string_view type);
/// Reports whether the object has that condition with that status.
bool has_condition(const value::Value& object, std::string_view type, std::string_view status);

}  // namespace chartwright::health
