// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chartwright::go {

/// Whether printable non-ASCII characters are kept or escaped.
enum class QuoteStyle { kUnicode, kAscii };

/// Returns a double-quoted Go string literal (%q, Sprig's quote). Source: Go strconv.Quote.
std::string quote(std::string_view text, QuoteStyle style = QuoteStyle::kUnicode);
/// Returns a single-quoted Go character literal. Source: Go strconv.QuoteRune.
std::string quote_rune(char32_t rune, QuoteStyle style = QuoteStyle::kUnicode);
/// Reports whether `text` can be written unchanged between back quotes.
/// Source: Go strconv.CanBackquote.
bool can_backquote(std::string_view text);
/// Decodes a Go string literal, double-quoted or raw, given with its quotes; returns nullopt if it
/// is malformed. Source: Go strconv.Unquote.
std::optional<std::string> unquote(std::string_view literal);
/// Decodes the first character of `text`, the body of a literal after its opening quote, and
/// advances `text` past it. Returns nullopt if it is malformed. Source: Go strconv.UnquoteChar.
std::optional<char32_t> unquote_char(std::string_view& text, char quote);

}  // namespace chartwright::go
