// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/value.h"

namespace chartwright::value {

/// Reports whether `observed` has every field of `wanted` with the same value. Dicts may have more;
/// lists must have as many elements; numbers are compared by value; null is an absent field.
bool contains(const Value& observed, const Value& wanted);

}  // namespace chartwright::value
