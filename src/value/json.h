// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/result.h"
#include "value/value.h"

namespace chartwright::value {

/// Selects the Go type of decoded JSON numbers.
enum class Numbers : uint8_t {
  kFloat64,  ///< Always float64: as encoding/json into interface{}.
  kInt64,    ///< int64 if the literal is a whole number that fits, else
             ///< float64.
};

struct JsonLimits {
  size_t max_bytes = size_t{64} << 20;
  int max_depth = 10000;  ///< The limit of encoding/json.
};

/// Decodes one JSON document. Of duplicate keys the last one wins, as in Go. Invalid UTF-8 becomes
/// U+FFFD. Errors: kParse (with line and column), kBudget.
base::Result<Value> parse_json(std::string_view text, Numbers numbers,
                               const JsonLimits& limits = {});

using base::JsonEscape;

/// Encodes as Go's encoding/json does: sorted keys, Go's float format, invalid UTF-8 as \ufffd.
/// Errors: kInvalidArgument `json: unsupported value: NaN`, kBudget for more than 64 MiB of output.
base::Result<std::string> to_json(const Value& v, JsonEscape escape = JsonEscape::kHtml);
/// Like to_json, indented by two spaces.
base::Result<std::string> to_json_pretty(const Value& v, JsonEscape escape = JsonEscape::kHtml);
/// Returns JSON Schema's name of the type of `v`: an integral float is an "integer". Returns "" for
/// nil and what JSON does not have.
std::string_view schema_type(const Value& v);
/// Formats `d` as Go does in JSON ('f', or 'e' below 1e-6 and from 1e21). `d` must be finite.
std::string json_number(double d);

}  // namespace chartwright::value
