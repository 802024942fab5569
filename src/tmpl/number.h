// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "tmpl/ast.h"
#include "tmpl/lexer.h"

namespace chartwright::tmpl {

/// An unsigned integer in Go syntax: decimal, 0x, 0o, 0b or leading-0 octal, with underscores
/// between digits. nullopt when it is malformed or too large. Source: Go strconv.ParseUint(s, 0,
/// 64).
std::optional<uint64_t> parse_go_uint(std::string_view text);
/// The same with a sign. Source: Go strconv.ParseInt(s, 0, 64).
std::optional<int64_t> parse_go_int(std::string_view text);
/// A decimal or hexadecimal floating-point number in Go syntax, underscores included; nullopt when
/// it is malformed or overflows. Source: Go strconv.ParseFloat, without "inf" and "nan".
std::optional<double> parse_go_float(std::string_view text);

/// A number token (kNumber, kComplex or kCharConstant) as a node. The error holds Go's text without
/// a position. Source: Go parse.newNumber.
base::Result<Number> parse_number(const Token& token);

}  // namespace chartwright::tmpl
