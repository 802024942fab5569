// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "value/value.h"

namespace chartwright::helm::funcs {

/// The result of Go's strconv.ParseInt, which returns a value even with an error.
struct ParsedInt {
  int64_t value = 0;  ///< On error, the nearest int64 if the number is out of range, else 0.
  bool ok = false;
};

/// Parses all of `text` as an integer. Base 0 accepts Go literals: 0x, 0o, 0b, leading 0 (octal)
/// and underscores. Source: Go strconv.ParseInt.
ParsedInt parse_int(std::string_view text, int base);

/// Parses all of `text` as a Go floating-point literal, "inf" or "nan". Returns nullopt for a
/// syntax error or a value out of range. Source: Go strconv.ParseFloat.
std::optional<double> parse_float(std::string_view text);

/// Converts a float64 to int64 as Go does: rounds towards zero; returns the smallest int64 for a
/// value out of range, as on amd64.
int64_t truncate_to_int(double d);

/// Returns 0 for a value that cannot be converted. Source: spf13/cast v1.7.0 caste.go ToInt64.
int64_t to_int64(const value::Value& v);
/// Returns 0 for a value that cannot be converted. Source: spf13/cast v1.7.0 caste.go ToFloat64.
double to_float64(const value::Value& v);

}  // namespace chartwright::helm::funcs
