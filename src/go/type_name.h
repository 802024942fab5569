// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace chartwright::go {

/// Returns the type as %T prints it: "float64", "map[string]interface {}", "[]uint8"; "<nil>" for
/// nil.
std::string type_name(const value::Value& value);
/// Like type_name, without a copy; valid as long as `value`.
std::string_view type_name_view(const value::Value& value);
/// Returns the type as a failed type assertion names it: type_name, but "nil" for nil.
std::string dynamic_type_name(const value::Value& value);

}  // namespace chartwright::go
