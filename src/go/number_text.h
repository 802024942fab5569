// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::go {

/// Removes the prefix that gives the base of an integer literal (0x, 0o, 0b in either case, or a
/// leading 0 for octal), and returns that base. `digits` has no sign. Source: Go strconv.ParseUint
/// with base 0.
int take_base_prefix(std::string_view& digits);
/// Reports whether every underscore is between two digits, or between a base prefix and a digit.
/// Source: Go strconv underscoreOK.
bool has_proper_underscores(std::string_view number);
std::string without_underscores(std::string_view number);

}  // namespace chartwright::go
