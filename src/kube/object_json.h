// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "value/json.h"

namespace chartwright::kube {

/// Decodes what an API server sends, one object or one watch event, as parse_json does for
/// Numbers::kInt64, except that each `fieldsV1` (the fields that a manager set: half of what an
/// object weighs, of which one in four is ever read) stays the JSON text that it is: a string.
/// Errors: as parse_json.
base::Result<value::Value> parse_object_json(std::string_view text);

/// The value of a `fieldsV1` member, decoded if it was left as text; nil when it is no JSON.
value::Value decode_fields(const value::Value& fields);

}  // namespace chartwright::kube
