// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "value/json.h"

namespace chartwright::value {

/// Decodes what an API server sends, one object or one watch event, as parse_json does for
/// Numbers::kInt64, except that each `fieldsV1` (the fields that a manager set: half of what an
/// object weighs, of which one in four is ever read) stays the JSON text that it is: a string.
/// Errors: as parse_json.
base::Result<Value> parse_object_json(std::string_view text);

/// The value of a `fieldsV1` member, decoded if it was left as text; nil when it is no JSON.
Value decode_fields(const Value& fields);

}  // namespace chartwright::value
