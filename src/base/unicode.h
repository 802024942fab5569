// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chartwright::base {

/// What Go puts in the place of bytes that are not UTF-8.
inline constexpr char32_t kRuneError = 0xFFFD;

/// One decoded code point and the bytes it took.
struct DecodedRune {
  char32_t rune;
  size_t size;
};

/// The first code point of `text`: {kRuneError, 1} where the bytes are not UTF-8 (over-long forms
/// and surrogates included), {kRuneError, 0} for "". Source: Go utf8.DecodeRuneInString.
DecodedRune decode_rune(std::string_view text);
/// The last code point of `text`, likewise. Source: Go utf8.DecodeLastRuneInString.
DecodedRune decode_last_rune(std::string_view text);
/// Appends UTF-8; surrogates and values past U+10FFFF become U+FFFD. Source: Go utf8.AppendRune.
void append_rune(std::string& out, char32_t rune);
/// Code points of `text`, an invalid byte counting as one. Source: Go utf8.RuneCountInString.
size_t rune_count(std::string_view text);
bool is_valid_utf8(std::string_view text);
/// `text`, or as many whole characters of it as leave room for "..." within `max_bytes` (at least
/// 3).
std::string shortened(std::string text, size_t max_bytes);

// Classes and mappings of Go's unicode package (Unicode 15.0). Source: Go unicode.IsUpper, ...
bool is_upper(char32_t rune);
bool is_lower(char32_t rune);
bool is_title(char32_t rune);
bool is_letter(char32_t rune);
bool is_digit(char32_t rune);
bool is_number(char32_t rune);
bool is_space(char32_t rune);
bool is_punct(char32_t rune);
/// Letters, marks, numbers, punctuation, symbols and the ASCII space: what %q leaves as it is.
bool is_print(char32_t rune);
char32_t to_upper(char32_t rune);
char32_t to_lower(char32_t rune);
char32_t to_title(char32_t rune);

}  // namespace chartwright::base
