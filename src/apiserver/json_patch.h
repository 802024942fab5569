// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"
#include "views/work.h"

namespace chartwright::apiserver {

/// The limits of a body, an object or a patch, and the depth of a patched object.
inline constexpr value::JsonLimits kBodyLimits = {.max_bytes = size_t{3} << 20, .max_depth = 200};

/// Checks a value that is to be `levels` deep in an object. Errors: kBudget if it would nest deeper
/// than kBodyLimits; those of `work`, which is charged for its members.
base::Status check_depth(const value::Value& value, size_t levels, views::Work& work);

/// Returns `target` with a JSON patch applied (RFC 6902). Neither argument is changed; the result
/// shares no dict with them. Errors: kParse for a malformed patch; kNotFound for a path that does
/// not exist; kConflict for a failed test; kBudget for more than 1000 operations, if it copies more
/// than 3 MiB, or where it would nest deeper than kBodyLimits; those of `work`.
base::Result<value::Value> json_patched(const value::Value& target, const value::Value& patch,
                                        views::Work& work);

}  // namespace chartwright::apiserver
