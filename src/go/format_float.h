// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace chartwright::go {

/// Formats `d` under one of the verbs b e E f g G x X. Precision -1 selects the fewest digits that
/// parse back to `d`; 'g' then uses an exponent below 1e-4 and from 1e+06 on.
/// Source: Go strconv.FormatFloat(d, verb, precision, 64).
std::string format_float(double d, char verb, int precision);

}  // namespace chartwright::go
