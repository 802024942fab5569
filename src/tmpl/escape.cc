// SPDX-License-Identifier: Apache-2.0
#include "tmpl/escape.h"

#include <array>
#include <cstdio>

#include "base/unicode.h"

namespace chartwright::tmpl {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

std::string_view html_entity(char c) {
  switch (c) {
    case '\0':
      return "\xEF\xBF\xBD";
    case '"':
      return "&#34;";
    case '\'':
      return "&#39;";
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    default:
      return {};
  }
}

// `source` is the encoded rune, which may be a byte that is no UTF-8 and stays as it is.
void append_js_rune(std::string& out, char32_t rune, std::string_view source) {
  switch (rune) {
    case '\\':
      out += "\\\\";
      return;
    case '\'':
      out += "\\'";
      return;
    case '"':
      out += "\\\"";
      return;
    default:
      break;
  }
  const bool markup = rune == '<' || rune == '>' || rune == '&' || rune == '=';
  // DEL is no control character to Go here: below U+0080 only what is below the space counts.
  const bool plain = rune < 0x80 ? rune >= ' ' : base::is_print(rune);
  if (plain && !markup) {
    out += source;
    return;
  }
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "\\u%04X", static_cast<unsigned>(rune));
  out += buffer.data();
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    const std::string_view entity = html_entity(c);
    if (entity.empty()) {
      out += c;
    } else {
      out += entity;
    }
  }
  return out;
}

std::string escape_js(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const base::DecodedRune rune = base::decode_rune(text);
    append_js_rune(out, rune.rune, text.substr(0, rune.size));
    text.remove_prefix(rune.size);
  }
  return out;
}

std::string escape_query(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (c == ' ') {
      out += '+';
    } else if (is_unreserved(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHexDigits[byte >> 4];
      out += kHexDigits[byte & 0xFU];
    }
  }
  return out;
}

}  // namespace chartwright::tmpl
