// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chartwright::base {

/// Go's replacement for bytes that are not valid UTF-8.
inline constexpr char32_t kRuneError = 0xFFFD;

/// A decoded code point and its length in bytes.
struct DecodedRune {
  char32_t rune;
  size_t size;
};

/// Reports whether `c` is a byte of a UTF-8 sequence after the first one.
constexpr bool is_utf8_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}
/// Returns the first code point of `text`: {kRuneError, 1} for invalid UTF-8 (including over-long
/// forms and surrogates), {kRuneError, 0} for "". Source: Go utf8.DecodeRuneInString.
DecodedRune decode_rune(std::string_view text);
/// Like decode_rune, for the last code point of `text`. Source: Go utf8.DecodeLastRuneInString.
DecodedRune decode_last_rune(std::string_view text);
/// Appends `rune` as UTF-8. Surrogates and values above U+10FFFF become U+FFFD. Source: Go
/// utf8.AppendRune.
void append_rune(std::string& out, char32_t rune);
/// Counts the code points of `text`; each invalid byte counts as one. Source: Go
/// utf8.RuneCountInString.
size_t rune_count(std::string_view text);
bool is_valid_utf8(std::string_view text);
/// Replaces each invalid byte with U+FFFD. Source: Go encoding/json.
std::string replace_invalid_utf8(std::string_view text);
/// Returns `text` if it fits `max_bytes` (at least 3), otherwise as many whole characters of it as
/// leave room for "...", which follows them.
std::string shortened(std::string text, size_t max_bytes);

// Character classes and case mappings of Go's unicode package (Unicode 15.0). Source: Go
// unicode.IsUpper, ...
bool is_upper(char32_t rune);
bool is_lower(char32_t rune);
bool is_title(char32_t rune);
bool is_letter(char32_t rune);
bool is_digit(char32_t rune);
bool is_number(char32_t rune);
bool is_space(char32_t rune);
bool is_punct(char32_t rune);
/// Reports whether %q prints `rune` unchanged: letters, marks, numbers, punctuation, symbols and
/// the ASCII space.
bool is_print(char32_t rune);
char32_t to_upper(char32_t rune);
char32_t to_lower(char32_t rune);
char32_t to_title(char32_t rune);

}  // namespace chartwright::base
