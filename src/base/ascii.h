// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::base {

// Classes of ASCII characters, independent of the locale. Any other byte or code point belongs to
// none of them. Char is char, unsigned char or char32_t.
template <typename Char>
constexpr bool is_ascii_digit(Char c) {
  return c >= '0' && c <= '9';
}
template <typename Char>
constexpr bool is_ascii_lower(Char c) {
  return c >= 'a' && c <= 'z';
}
template <typename Char>
constexpr bool is_ascii_upper(Char c) {
  return c >= 'A' && c <= 'Z';
}
template <typename Char>
constexpr bool is_ascii_letter(Char c) {
  return is_ascii_lower(c) || is_ascii_upper(c);
}
template <typename Char>
constexpr bool is_ascii_alphanumeric(Char c) {
  return is_ascii_letter(c) || is_ascii_digit(c);
}
template <typename Char>
constexpr bool is_ascii_hex_digit(Char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Reports whether `c` may be part of a word, as \w of regular expressions says.
template <typename Char>
constexpr bool is_ascii_word(Char c) {
  return is_ascii_alphanumeric(c) || c == '_';
}

template <typename Char>
constexpr bool is_ascii_octal_digit(Char c) {
  return c >= '0' && c <= '7';
}

/// Reports whether `c` stands for itself in every part of a URI. Source: RFC 3986 section 2.3.
constexpr bool is_uri_unreserved(char c) {
  return is_ascii_word(c) || c == '-' || c == '.' || c == '~';
}

/// Returns the lower-case form of an ASCII capital, and any other character as it is.
template <typename Char>
constexpr Char to_ascii_lower(Char c) {
  return is_ascii_upper(c) ? static_cast<Char>(c - 'A' + 'a') : c;
}

/// Returns the value of a hexadecimal digit in either case, or -1.
template <typename Char>
constexpr int hex_digit_value(Char c) {
  if (is_ascii_digit(c)) {
    return static_cast<int>(c - '0');
  }
  return is_ascii_hex_digit(c) ? static_cast<int>(to_ascii_lower(c) - 'a') + 10 : -1;
}

/// U+FEFF in UTF-8, with which some editors begin a file.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace chartwright::base
