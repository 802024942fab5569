// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace chartwright::yaml {

/// The precision for which the shortest round-trip digits are printed.
enum class FloatBits : uint8_t { k32, k64 };

/// Formats like Go's strconv.FormatFloat(d, 'g', -1, bits): "1e+06", "0.5", "+Inf", "-Inf", "NaN".
std::string format_float_g(double d, FloatBits bits = FloatBits::k64);

/// Formats a finite number like Go's strconv.FormatFloat(d, 'f', -1, 64): without an exponent, and
/// with zeros where the shortest digits do not reach the decimal point.
std::string format_float_f(double d);

}  // namespace chartwright::yaml
