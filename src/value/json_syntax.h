// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace chartwright::value {

struct JsonSyntaxError {
  /// The place of the offending byte, or the size of a text that ends too early.
  size_t offset = 0;
  std::string message;
};

/// Finds the first syntax error of `text`, with the message of Go's encoding/json, because
/// `fromJson` puts it into rendered output. Returns nullopt if `text` is one well-formed document.
/// Checks only the grammar, not the depth or the size of numbers. Source: Go encoding/json
/// scanner.go.
std::optional<JsonSyntaxError> find_json_syntax_error(std::string_view text);

/// Returns the line and the column (in code points) of the byte at `offset`.
base::SourcePos position_of(std::string_view text, size_t offset);

}  // namespace chartwright::value
