// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "tmpl/ast.h"
#include "tmpl/lexer.h"

namespace chartwright::tmpl {

/// Parses an unsigned integer in Go syntax: decimal, 0x, 0o, 0b or leading-0 octal, with
/// underscores between digits. Returns nullopt if it is malformed or too large.
/// Source: Go strconv.ParseUint(s, 0, 64).
std::optional<uint64_t> parse_go_uint(std::string_view text);
/// Like parse_go_uint, with an optional sign. Source: Go strconv.ParseInt(s, 0, 64).
std::optional<int64_t> parse_go_int(std::string_view text);
/// Parses a decimal or hexadecimal floating-point number in Go syntax, underscores included.
/// Returns nullopt if it is malformed or overflows. Source: Go strconv.ParseFloat, without "inf"
/// and "nan".
std::optional<double> parse_go_float(std::string_view text);

/// Converts a number token (kNumber, kComplex or kCharConstant) to a node. Errors have Go's message
/// without a position. Source: Go parse.newNumber.
base::Result<Number> parse_number(const Token& token);

}  // namespace chartwright::tmpl
