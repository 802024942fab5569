// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/value.h"

namespace chartwright::value {

/// Returns `target` with a merge patch applied (RFC 7386). Neither argument is changed; the result
/// may share parts of both.
Value merge_patched(const Value& target, const Value& patch);

}  // namespace chartwright::value
