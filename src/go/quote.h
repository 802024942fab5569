// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chartwright::go {

/// Whether characters beyond ASCII stay as they are (if printable) or are escaped too.
enum class QuoteStyle { kUnicode, kAscii };

/// A double-quoted Go string literal (%q, Sprig's quote). Source: Go strconv.Quote.
std::string quote(std::string_view text, QuoteStyle style = QuoteStyle::kUnicode);
/// A single-quoted Go character literal. Source: Go strconv.QuoteRune.
std::string quote_rune(char32_t rune, QuoteStyle style = QuoteStyle::kUnicode);
/// Whether `text` can stand between back quotes unchanged. Source: Go strconv.CanBackquote.
bool can_backquote(std::string_view text);
/// The text of a Go string literal, double-quoted or raw, quotes included; nullopt when it is
/// malformed. Source: Go strconv.Unquote.
std::optional<std::string> unquote(std::string_view literal);
/// The code point of the character literal body that `text` starts with (after its opening quote);
/// `text` moves past it. nullopt when it is malformed. Source: Go strconv.UnquoteChar.
std::optional<char32_t> unquote_char(std::string_view& text, char quote);

}  // namespace chartwright::go
