// SPDX-License-Identifier: Apache-2.0
#include "go/format_spec.h"

#include <algorithm>

#include "base/unicode.h"
#include "go/format_float.h"
#include "go/quote.h"

namespace chartwright::go {
namespace {

constexpr char32_t kRuneMax = 0x10FFFF;
constexpr std::string_view kLowerDigits = "0123456789abcdef";
constexpr std::string_view kUpperDigits = "0123456789ABCDEF";

std::string digits_of(uint64_t value, unsigned base, std::string_view alphabet) {
  std::string out;
  do {
    out += alphabet[value % base];
    value /= base;
  } while (value != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

unsigned base_of(char verb) {
  switch (verb) {
    case 'b':
      return 2;
    case 'o':
    case 'O':
      return 8;
    case 'x':
    case 'X':
      return 16;
    default:
      return 10;
  }
}

std::string_view sign_of(const IntegerOperand& operand, const FormatSpec& spec) {
  if (operand.negative) {
    return "-";
  }
  if (spec.plus) {
    return "+";
  }
  return spec.space ? " " : "";
}

char32_t to_rune(uint64_t code) {
  return code > kRuneMax ? base::kRuneError : static_cast<char32_t>(code);
}

// Restores the decimal point and trailing zeros that the # flag requires. `number` starts with its
// sign; `wanted` is the number of significant digits, 0 for verbs with a fixed number of them.
std::string with_point(const std::string& number, bool hex, int wanted) {
  const std::string_view exponent_letters = hex ? "pP" : "pPeE";
  const size_t tail_start = std::min(number.find_first_of(exponent_letters, 1), number.size());
  std::string head = number.substr(0, tail_start);
  bool has_point = false;
  bool significant = false;
  for (char c : head.substr(1)) {
    if (c == '.') {
      has_point = true;
      continue;
    }
    significant = significant || c != '0';
    wanted -= significant ? 1 : 0;
  }
  if (!has_point) {
    // The single digit of "0" counts as significant.
    wanted -= head.size() == 2 && head[1] == '0' ? 1 : 0;
    head += '.';
  }
  return head + std::string(static_cast<size_t>(std::max(wanted, 0)), '0') +
         number.substr(tail_start);
}

}  // namespace

void FormatSpec::write_padding(std::string& out, int count) const {
  if (count > 0) {
    out.append(static_cast<size_t>(count), zero && !minus ? '0' : ' ');
  }
}

void FormatSpec::pad(std::string& out, std::string_view text) const {
  const int padding = has_width ? width - static_cast<int>(base::rune_count(text)) : 0;
  if (!minus) {
    write_padding(out, padding);
  }
  out += text;
  if (minus) {
    write_padding(out, padding);
  }
}

void FormatSpec::pad_with_spaces(std::string& out, std::string_view text) const {
  FormatSpec spaces = *this;
  spaces.zero = false;
  spaces.pad(out, text);
}

std::string_view FormatSpec::truncated(std::string_view text) const {
  if (!has_precision) {
    return text;
  }
  size_t end = 0;
  for (int i = 0; i < precision && end < text.size(); ++i) {
    end += base::decode_rune(text.substr(end)).size;
  }
  return text.substr(0, end);
}

void FormatSpec::write_string(std::string& out, std::string_view text) const {
  pad(out, truncated(text));
}

void FormatSpec::write_quoted(std::string& out, std::string_view text) const {
  const std::string_view shown = truncated(text);
  if (sharp && go::can_backquote(shown)) {
    pad(out, "`" + std::string(shown) + "`");
  } else {
    pad(out, go::quote(shown, plus ? go::QuoteStyle::kAscii : go::QuoteStyle::kUnicode));
  }
}

void FormatSpec::write_hex(std::string& out, std::string_view bytes, Letters letters) const {
  const std::string_view digits = letters == Letters::kUpper ? kUpperDigits : kLowerDigits;
  const std::string_view prefix = letters == Letters::kUpper ? "0X" : "0x";
  if (has_precision) {
    bytes = bytes.substr(0, static_cast<size_t>(precision));
  }
  if (bytes.empty()) {
    write_padding(out, has_width ? width : 0);
    return;
  }
  std::string text(sharp ? prefix : "");
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (space && i > 0) {
      text += ' ';
      text += sharp ? prefix : "";
    }
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 0xFU];
  }
  pad(out, text);
}

void FormatSpec::write_integer(std::string& out, IntegerOperand operand, char verb) const {
  const bool signed_form = operand.negative || plus || space;
  int wanted = 0;  // Minimum number of digits: both %.3d and %03d request leading zeros.
  if (has_precision) {
    wanted = precision;
    if (precision == 0 && operand.magnitude == 0) {
      pad_with_spaces(out, "");
      return;
    }
  } else if (zero && !minus && has_width) {
    wanted = width - (signed_form ? 1 : 0);
  }
  const unsigned base = base_of(verb);
  std::string digits =
      digits_of(operand.magnitude, base, verb == 'X' ? kUpperDigits : kLowerDigits);
  if (wanted > static_cast<int>(digits.size())) {
    digits.insert(0, static_cast<size_t>(wanted) - digits.size(), '0');
  }
  std::string prefix;
  if (sharp && base == 2) {
    prefix = "0b";
  } else if (sharp && base == 8 && digits[0] != '0') {
    prefix = "0";
  } else if (sharp && base == 16) {
    prefix = verb == 'X' ? "0X" : "0x";
  }
  if (verb == 'O') {
    prefix.insert(0, "0o");
  }
  pad_with_spaces(out, std::string(sign_of(operand, *this)) + prefix + digits);
}

void FormatSpec::write_rune(std::string& out, uint64_t code) const {
  std::string text;
  base::append_rune(text, to_rune(code));
  pad(out, text);
}

void FormatSpec::write_quoted_rune(std::string& out, uint64_t code) const {
  pad(out, go::quote_rune(to_rune(code), plus ? go::QuoteStyle::kAscii : go::QuoteStyle::kUnicode));
}

void FormatSpec::write_unicode(std::string& out, uint64_t code) const {
  constexpr size_t kShortest = 4;
  const size_t wanted =
      has_precision ? std::max(kShortest, static_cast<size_t>(precision)) : kShortest;
  std::string digits = digits_of(code, 16, kUpperDigits);
  if (digits.size() < wanted) {
    digits.insert(0, wanted - digits.size(), '0');
  }
  std::string text = "U+" + digits;
  if (sharp && code <= kRuneMax && base::is_print(static_cast<char32_t>(code))) {
    text += " '";
    base::append_rune(text, static_cast<char32_t>(code));
    text += '\'';
  }
  pad_with_spaces(out, text);
}

void FormatSpec::write_float(std::string& out, double d, char verb, int default_precision) const {
  const int digits = has_precision ? precision : default_precision;
  std::string number = format_float(d, verb, digits);
  if (number[0] != '-' && number[0] != '+') {
    number.insert(0, 1, '+');
  }
  if (space && number[0] == '+' && !plus) {
    number[0] = ' ';
  }
  if (number[1] == 'I' || number[1] == 'N') {  // Inf and NaN are not padded with zeros.
    const bool drops_sign = number[1] == 'N' && !space && !plus;
    pad_with_spaces(out, std::string_view(number).substr(drops_sign ? 1 : 0));
    return;
  }
  if (sharp && verb != 'b') {
    constexpr int kDefaultDigits = 6;
    const bool counts = verb == 'g' || verb == 'G' || verb == 'x';
    const int wanted = digits == -1 ? kDefaultDigits : digits;
    number = with_point(number, verb == 'x' || verb == 'X', counts ? wanted : 0);
  }
  if (!plus && number[0] == '+') {
    pad(out, std::string_view(number).substr(1));
    return;
  }
  const int size = static_cast<int>(number.size());
  if (zero && !minus && has_width && width > size) {  // The sign precedes the zeros.
    out += number[0];
    write_padding(out, width - size);
    out += number.substr(1);
    return;
  }
  pad(out, number);
}

}  // namespace chartwright::go
