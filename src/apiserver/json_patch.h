// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "value/value.h"

namespace chartwright::apiserver {

/// Returns `target` with a JSON patch applied (RFC 6902). Neither argument is changed; the result
/// may share parts of both. Errors: kParse for a malformed patch, or one of more than 1000
/// operations; kNotFound for a path that does not exist; kConflict for a failed test; kBudget if
/// it copies more than 3 MiB.
base::Result<value::Value> json_patched(const value::Value& target, const value::Value& patch);

}  // namespace chartwright::apiserver
