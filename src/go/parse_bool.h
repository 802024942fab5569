// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace chartwright::go {

/// Parses a bool as Go's strconv.ParseBool does; nullopt where it returns an error.
inline std::optional<bool> parse_bool(std::string_view text) {
  for (std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) {
      return true;
    }
  }
  for (std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) {
      return false;
    }
  }
  return std::nullopt;
}

}  // namespace chartwright::go
