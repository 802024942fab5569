// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace chartwright::go {

/// strconv.FormatFloat(d, verb, precision, 64) for the verbs b e E f g G x X; precision -1 asks for
/// the fewest digits that read back the same; 'g' then has an exponent below 1e-4 and from 1e+06.
std::string format_float(double d, char verb, int precision);

}  // namespace chartwright::go
