// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"

namespace chartwright::yaml {

/// Decodes the first document of `text` exactly as sigs.k8s.io/yaml.Unmarshal into interface{} does
/// (YAML 1.1 scalars, keys become strings, merge keys, JSON number rules). Empty text is nil.
/// Errors: kParse with Go's message ("error converting YAML to JSON: yaml: line 2: ...") and, if
/// known, the line; kBudget for alias bombs, depth and size. Source: sigs.k8s.io/yaml v1.6.0.
base::Result<value::Value> parse_yaml(std::string_view text, value::Numbers numbers);

/// Encodes exactly as sigs.k8s.io/yaml.Marshal does, including the final newline. Errors:
/// kInvalidArgument where Go's Marshal fails (control characters, NaN); kBudget for depth and size.
base::Result<std::string> to_yaml(const value::Value& v);
/// The work of writing one byte of YAML, as a number of bytes read: the keys of a large map are
/// sorted in natural order.
inline constexpr size_t kEncodeWork = 8;

}  // namespace chartwright::yaml
