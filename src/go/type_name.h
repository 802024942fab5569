// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace chartwright::go {

/// As %T prints it: "float64", "map[string]interface {}", "[]uint8"; "<nil>" for nil.
std::string type_name(const value::Value& value);
/// The same without a copy; valid as long as `value`.
std::string_view type_name_view(const value::Value& value);
/// As a type assertion that fails names it: type_name, but "nil" for nil.
std::string dynamic_type_name(const value::Value& value);

}  // namespace chartwright::go
