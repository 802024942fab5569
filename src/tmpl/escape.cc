// SPDX-License-Identifier: Apache-2.0
#include "tmpl/escape.h"

#include <array>
#include <cstdio>

#include "base/unicode.h"

namespace chartwright::tmpl {
namespace {

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

// `source` is the encoded rune, or an invalid byte, which is copied unchanged.
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
  // As in Go, DEL does not count as a control character: below U+0080, only characters below space
  // do.
  const bool plain = rune < 0x80 ? rune >= ' ' : base::is_print(rune);
  if (plain && !markup) {
    out += source;
    return;
  }
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "\\u%04X", static_cast<unsigned>(rune));
  out += buffer.data();
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

}  // namespace chartwright::tmpl
