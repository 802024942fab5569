// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace chartwright::value {

struct JsonSyntaxError {
  size_t offset = 0;  ///< Of the offending byte; the text's size when it ends too early.
  std::string message;
};

/// The first syntax error of `text` in the words of Go's encoding/json, because `fromJson` puts
/// them into rendered output; nullopt when `text` is one well-formed document. Only the grammar is
/// looked at: neither depth nor the size of numbers. Source: Go encoding/json scanner.go.
std::optional<JsonSyntaxError> find_json_syntax_error(std::string_view text);

/// Line and column (counted in code points) of a byte of `text`.
base::SourcePos position_of(std::string_view text, size_t offset);

}  // namespace chartwright::value
