// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <array>

#include "base/unicode.h"

namespace chartwright::base {
namespace {

constexpr std::string_view kLowerHexDigits = "0123456789abcdef";

using ByteSet = std::array<bool, 256>;

// Returns the ASCII characters that need no escape in a string.
constexpr ByteSet plain_ascii(JsonEscape escape) {
  ByteSet plain{};
  for (size_t c = 0x20; c < 0x80; ++c) {
    const bool is_html = c == '<' || c == '>' || c == '&';
    plain[c] = c != '"' && c != '\\' && (escape == JsonEscape::kNone || !is_html);
  }
  return plain;
}
constexpr ByteSet kPlainHtml = plain_ascii(JsonEscape::kHtml);
constexpr ByteSet kPlain = plain_ascii(JsonEscape::kNone);

void append_ascii_escape(std::string& out, char c) {
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kLowerHexDigits[static_cast<unsigned char>(c) >> 4];
      out += kLowerHexDigits[static_cast<unsigned char>(c) & 0xF];
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text, JsonEscape escape) {
  out += '"';
  size_t plain_from = 0;
  size_t i = 0;
  // Copies the run of characters that need no escape, then writes `with` in place of the next
  // `length` bytes.
  auto flush = [&](size_t length) {
    out.append(text.substr(plain_from, i - plain_from));
    i += length;
    plain_from = i;
  };
  const ByteSet& plain = escape == JsonEscape::kHtml ? kPlainHtml : kPlain;
  while (i < text.size()) {
    const char c = text[i];
    if (plain[static_cast<unsigned char>(c)]) {
      ++i;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x80) {
      flush(1);
      append_ascii_escape(out, c);
      continue;
    }
    const DecodedRune decoded = decode_rune(text.substr(i));
    if (decoded.rune == kRuneError && decoded.size == 1) {
      flush(1);
      out += "\\ufffd";
    } else if (decoded.rune == 0x2028 || decoded.rune == 0x2029) {
      flush(decoded.size);
      out += decoded.rune == 0x2028 ? "\\u2028" : "\\u2029";
    } else {
      i += decoded.size;
    }
  }
  flush(0);
  out += '"';
}

}  // namespace chartwright::base
