// SPDX-License-Identifier: Apache-2.0
#include "go/quote.h"

#include "base/ascii.h"
#include "base/unicode.h"

namespace chartwright::go {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_invalid(base::DecodedRune rune) { return rune.rune == base::kRuneError && rune.size == 1; }

// Reports whether `rune` is at most U+10FFFF and not a surrogate.
bool is_valid_rune(char32_t rune) { return rune <= 0x10FFFF && (rune < 0xD800 || rune > 0xDFFF); }

void append_hex(std::string& out, char32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += kHexDigits[value >> shift & 0xFU];
  }
}

// Returns the length of the prefix that no style escapes. Most strings need no escapes at all.
size_t plain_length(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && text[length] >= ' ' && text[length] < 0x7F &&
         text[length] != '"' && text[length] != '\\') {
    ++length;
  }
  return length;
}

char short_escape(char32_t rune) {
  switch (rune) {
    case '\a':
      return 'a';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\v':
      return 'v';
    default:
      return '\0';
  }
}

void append_escaped(std::string& out, char32_t rune, char quote, QuoteStyle style) {
  if (rune == static_cast<char32_t>(quote) || rune == '\\') {
    out += '\\';
    out += static_cast<char>(rune);
    return;
  }
  if (base::is_print(rune) && (rune < 0x80 || style == QuoteStyle::kUnicode)) {
    base::append_rune(out, rune);
    return;
  }
  if (const char letter = short_escape(rune); letter != '\0') {
    out += '\\';
    out += letter;
  } else if (rune < ' ' || rune == 0x7F) {
    out += "\\x";
    append_hex(out, rune, 2);
  } else if (rune < 0x10000) {
    out += "\\u";
    append_hex(out, rune, 4);
  } else {
    out += "\\U";
    append_hex(out, rune, 8);
  }
}

// Consumes `count` digits of `base` (8 or 16) at the start of `text`.
std::optional<char32_t> take_digits(std::string_view& text, size_t count, int base) {
  if (text.size() < count) {
    return std::nullopt;
  }
  char32_t value = 0;
  for (char c : text.substr(0, count)) {
    const int digit = base::hex_digit_value(c);
    if (digit < 0 || digit >= base) {
      return std::nullopt;
    }
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
  }
  text.remove_prefix(count);
  return value;
}

// Decodes an escape after its backslash. `text` must not be empty.
std::optional<char32_t> unquote_escape(std::string_view& text, char quote) {
  const char c = text.front();
  if (base::is_ascii_octal_digit(c)) {
    auto value = take_digits(text, 3, 8);
    return value && *value <= 255 ? value : std::nullopt;
  }
  text.remove_prefix(1);
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
      return '\\';
    case 'x':
      return take_digits(text, 2, 16);
    case 'u':
    case 'U': {
      auto value = take_digits(text, c == 'u' ? 4 : 8, 16);
      return value && is_valid_rune(*value) ? value : std::nullopt;
    }
    case '\'':
    case '"':
      return c == quote ? std::optional<char32_t>(c) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string without_carriage_returns(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (c != '\r') {
      out += c;
    }
  }
  return out;
}

// Reports whether `text` starts with a \x or octal escape, which is one byte; any other escape is a
// code point.
bool is_byte_escape(std::string_view text) {
  return text.size() > 1 && text[0] == '\\' &&
         (text[1] == 'x' || base::is_ascii_octal_digit(text[1]));
}

}  // namespace

std::string quote(std::string_view text, QuoteStyle style) {
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  while (!text.empty()) {
    const size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) {
      break;
    }
    const base::DecodedRune rune = base::decode_rune(text);
    if (is_invalid(rune)) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    } else {
      append_escaped(out, rune.rune, '"', style);
    }
    text.remove_prefix(rune.size);
  }
  out += '"';
  return out;
}

std::string quote_rune(char32_t rune, QuoteStyle style) {
  std::string out = "'";
  append_escaped(out, is_valid_rune(rune) ? rune : base::kRuneError, '\'', style);
  out += '\'';
  return out;
}

bool can_backquote(std::string_view text) {
  while (!text.empty()) {
    const base::DecodedRune rune = base::decode_rune(text);
    text.remove_prefix(rune.size);
    if (rune.rune == 0xFEFF || is_invalid(rune) || (rune.rune < ' ' && rune.rune != '\t') ||
        rune.rune == '`' || rune.rune == 0x7F) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> unquote(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != literal.back()) {
    return std::nullopt;
  }
  const char mark = literal.front();
  std::string_view body = literal.substr(1, literal.size() - 2);
  if (mark == '`') {
    if (body.find('`') != std::string_view::npos) {
      return std::nullopt;
    }
    return without_carriage_returns(body);
  }
  if (mark != '"') {
    return std::nullopt;
  }
  std::string out;
  out.reserve(body.size());
  while (!body.empty()) {
    if (body.front() == '\n') {
      return std::nullopt;
    }
    const bool is_byte = is_byte_escape(body);
    const auto rune = unquote_char(body, mark);
    if (!rune) {
      return std::nullopt;
    }
    if (is_byte) {
      out += static_cast<char>(*rune);
    } else {
      base::append_rune(out, *rune);
    }
  }
  return out;
}

std::optional<char32_t> unquote_char(std::string_view& text, char quote) {
  if (text.empty() || text.front() == quote) {
    return std::nullopt;
  }
  if (text.front() != '\\') {
    const base::DecodedRune rune = base::decode_rune(text);
    text.remove_prefix(rune.size);
    return rune.rune;
  }
  text.remove_prefix(1);
  return text.empty() ? std::nullopt : unquote_escape(text, quote);
}

}  // namespace chartwright::go
