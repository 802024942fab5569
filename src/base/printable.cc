// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include "base/unicode.h"

namespace chartwright::base {

namespace {

void append_escaped(std::string& out, char32_t rune) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += rune > 0xFFFF ? "\\U" : "\\u";
  for (int shift = rune > 0xFFFF ? 28 : 12; shift >= 0; shift -= 4) {
    out += kHex[(rune >> static_cast<unsigned>(shift)) & 0xFU];
  }
}

/// Reports whether a character controls a terminal, or the order in which others are shown.
bool is_control(char32_t rune) {
  return rune < ' ' || (rune >= 0x7F && rune < 0xA0) || (rune >= 0x200E && rune <= 0x200F) ||
         (rune >= 0x2028 && rune <= 0x202E) || (rune >= 0x2066 && rune <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const DecodedRune next = decode_rune(text);
    text.remove_prefix(next.size);
    if (is_print(next.rune)) {
      append_rune(out, next.rune);
    } else if (next.rune == '\n' || next.rune == '\t') {
      out += next.rune == '\n' ? "\\n" : "\\t";
    } else {
      append_escaped(out, next.rune);
    }
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const DecodedRune next = decode_rune(text);
    text.remove_prefix(next.size);
    if (is_control(next.rune) && next.rune != '\n' && next.rune != '\t') {
      append_escaped(out, next.rune);
    } else {
      append_rune(out, next.rune);
    }
  }
  return out;
}

}  // namespace chartwright::base
