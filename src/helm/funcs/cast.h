// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "value/value.h"

namespace chartwright::helm::funcs {

/// What Go's strconv.ParseInt returns: a value even where it reports an error.
struct ParsedInt {
  int64_t value = 0;  ///< The nearest int64 when the text is out of range, else 0 on error.
  bool ok = false;
};

/// Reads a whole text as an integer. Base 0 reads Go literals: 0x, 0o, 0b, leading 0 (octal) and
/// underscores. Source: Go strconv.ParseInt.
ParsedInt parse_int(std::string_view text, int base);

/// Reads a whole text as a Go floating-point literal, "inf" or "nan"; nullopt on bad syntax and
/// where the value is out of range. Source: Go strconv.ParseFloat.
std::optional<double> parse_float(std::string_view text);

/// Go's conversion of a float64 to int64: towards zero; out of range gives the smallest int64, as
/// on amd64.
int64_t truncate_to_int(double d);

/// 0 where the value has no sensible number. Source: spf13/cast v1.7.0 caste.go ToInt64.
int64_t to_int64(const value::Value& v);
/// 0 where the value has no sensible number. Source: spf13/cast v1.7.0 caste.go ToFloat64.
double to_float64(const value::Value& v);

}  // namespace chartwright::helm::funcs
