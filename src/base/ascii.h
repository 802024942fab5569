// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::base {

// Classes of ASCII characters. Every other byte or code point belongs to none of them, and no
// locale has a say.
constexpr bool is_ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_lower(char32_t c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_upper(char32_t c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_letter(char32_t c) { return is_ascii_lower(c) || is_ascii_upper(c); }
constexpr bool is_ascii_alphanumeric(char32_t c) { return is_ascii_letter(c) || is_ascii_digit(c); }
constexpr bool is_ascii_hex_digit(char32_t c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// U+FEFF in UTF-8, with which some editors begin a file.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace chartwright::base
