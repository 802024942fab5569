// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::defaults {

/// Returns a value as lines of YAML, for a comment. Credentials are empty. In place of a long value
/// stands one that leaves it as it is, or that no field takes, and where to read on: the field
/// `key` of what `command` shows.
std::vector<std::string> value_lines(const std::string& key, const value::Value& value,
                                     std::string_view command);

}  // namespace chartwright::defaults
