// SPDX-License-Identifier: Apache-2.0
#include "tmpl/number_literal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "go/number_text.h"
#include "go/quote.h"

namespace chartwright::tmpl {
namespace {

base::Error number_error(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

std::string_view without_sign(std::string_view text) {
  return !text.empty() && (text[0] == '+' || text[0] == '-') ? text.substr(1) : text;
}

// Returns `d` as an integer if it is one, like Go's tests on amd64, without the conversions that
// are undefined in C++.
std::optional<int64_t> exact_int(double d) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(d >= -kLimit && d < kLimit) || d != std::trunc(d)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(d);
}

std::optional<uint64_t> exact_uint(double d) {
  constexpr double kLimit = 18446744073709551616.0;  // 2^64
  if (!(d >= 0 && d < kLimit) || d != std::trunc(d)) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(d);
}

// Returns the end of the digits of the exponent, or npos if it is malformed.
size_t scan_exponent(std::string_view text, size_t i) {
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
    ++i;
  }
  if (i >= text.size() || !base::is_ascii_digit(text[i])) {
    return std::string_view::npos;
  }
  while (i < text.size() && (base::is_ascii_digit(text[i]) || text[i] == '_')) {
    ++i;
  }
  return i;
}

// Reports whether the unsigned `text` has the form of a float; `hex` if a 0x prefix was removed.
bool is_float_form(std::string_view text, bool hex) {
  bool dot = false;
  bool digits = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !dot) {
      dot = true;
    } else if (base::is_ascii_digit(c) || (hex && base::is_ascii_hex_digit(c))) {
      digits = true;
    } else if (c != '_') {
      break;
    }
  }
  if (!digits) {
    return false;
  }
  if (i < text.size() && base::to_ascii_lower(text[i]) == (hex ? 'p' : 'e')) {
    return scan_exponent(text, i + 1) == text.size();
  }
  return i == text.size() && !hex;  // A hexadecimal float must have an exponent.
}

base::Result<Number> parse_char_constant(const Token& token) {
  std::string_view body = token.text.substr(1);
  const auto rune = go::unquote_char(body, '\'');
  if (!rune) {
    return number_error("invalid syntax");
  }
  if (body != "'") {
    return number_error("malformed character constant: " + std::string(token.text));
  }
  Number number{token.pos, token.text, {}, {}, {}, {}};
  number.as_int = static_cast<int64_t>(*rune);
  number.as_uint = *rune;
  number.as_float = static_cast<double>(*rune);
  return number;
}

Number complex_number(const Token& token, std::complex<double> value) {
  Number number{token.pos, token.text, {}, {}, {}, value};
  if (value.imag() == 0) {
    number.as_float = value.real();
    number.as_int = exact_int(value.real());
    number.as_uint = exact_uint(value.real());
  }
  return number;
}

bool has_hex_prefix(std::string_view unsigned_text) {
  return unsigned_text.size() > 2 && unsigned_text[0] == '0' &&
         base::to_ascii_lower(unsigned_text[1]) == 'x';
}

bool is_float(std::string_view text) {
  const std::string_view body = without_sign(text);
  const bool hex = has_hex_prefix(body);
  return is_float_form(body.substr(hex ? 2 : 0), hex) && go::has_proper_underscores(text);
}

// Returns the end of the number that starts at `i`, by the rules of fmt.Sscan, with which Go reads
// complex constants: a sign, digits, a decimal point, digits, an exponent, all optional.
size_t scan_part(std::string_view text, size_t i) {
  const auto accept = [&](std::string_view valid) {
    const bool found = i < text.size() && valid.find(text[i]) != std::string_view::npos;
    i += found ? 1 : 0;
    return found;
  };
  constexpr std::string_view kDecimal = "0123456789_";
  accept("+-");
  const bool hex = accept("0") && accept("xX");
  const std::string_view digits = hex ? "0123456789aAbBcCdDeEfF_" : kDecimal;
  while (accept(digits)) {
  }
  if (accept(".")) {
    while (accept(digits)) {
    }
  }
  if (accept(hex ? "pP" : "eEpP")) {
    accept("+-");
    while (accept(kDecimal)) {
    }
  }
  return i;
}

base::Result<double> parse_part(std::string_view text) {
  const auto value = parse_go_float(text);
  if (!value) {
    return number_error("strconv.ParseFloat: parsing " + go::quote(text) +
                        (is_float(text) ? ": value out of range" : ": invalid syntax"));
  }
  return *value;
}

base::Result<Number> parse_complex(const Token& token) {
  const std::string_view text = token.text;
  const size_t split = scan_part(text, 0);
  const bool has_sign = split < text.size() && (text[split] == '+' || text[split] == '-');
  const size_t end = has_sign ? scan_part(text, split) : split;
  // fmt.Sscan takes an "i" after a bare sign for the start of "Inf".
  if (!has_sign || end == split + 1 || end >= text.size() || text[end] != 'i') {
    return number_error("syntax error scanning complex number");
  }
  CW_TRY(const double real, parse_part(text.substr(0, split)));
  CW_TRY(const double imaginary, parse_part(text.substr(split, end - split)));
  return complex_number(token, {real, imaginary});
}

base::Result<Number> parse_float_number(Number number) {
  const auto value = parse_go_float(number.text);
  if (!value) {
    return number_error("illegal number syntax: " + go::quote(number.text));
  }
  if (number.text.find_first_of(".eEpP") == std::string_view::npos) {
    return number_error("integer overflow: " + go::quote(number.text));
  }
  number.as_float = value;
  number.as_int = exact_int(*value);
  number.as_uint = exact_uint(*value);
  return number;
}

}  // namespace

std::optional<uint64_t> parse_go_uint(std::string_view text) {
  if (text.empty() || !go::has_proper_underscores(text)) {
    return std::nullopt;
  }
  std::string_view digits = text;
  const int base = go::take_base_prefix(digits);
  const std::string clean = go::without_underscores(digits);
  uint64_t value = 0;
  const char* end = clean.data() + clean.size();
  const auto [stop, error] = std::from_chars(clean.data(), end, value, base);
  return error == std::errc() && stop == end ? std::optional<uint64_t>(value) : std::nullopt;
}

std::optional<int64_t> parse_go_int(std::string_view text) {
  const auto magnitude = parse_go_uint(without_sign(text));
  const bool negative = text.starts_with('-');
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (!magnitude || *magnitude > kMax + (negative ? 1 : 0)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<double> parse_go_float(std::string_view text) {
  if (!is_float(text)) {
    return std::nullopt;
  }
  // strtod rounds both forms correctly and, unlike from_chars, distinguishes underflow from
  // overflow. It may depend on the locale, but the process never sets one.
  const double value = std::strtod(go::without_underscores(text).c_str(), nullptr);
  return std::isinf(value) ? std::nullopt : std::optional<double>(value);
}

base::Result<Number> parse_number(const Token& token) {
  if (token.type == TokenType::kCharConstant) {
    return parse_char_constant(token);
  }
  if (token.type == TokenType::kComplex) {
    return parse_complex(token);
  }
  const std::string_view text = token.text;
  if (text.ends_with('i')) {
    if (const auto imaginary = parse_go_float(text.substr(0, text.size() - 1))) {
      return complex_number(token, {0, *imaginary});
    }
  }
  Number number{token.pos, text, parse_go_int(text), parse_go_uint(text), {}, {}};
  if (number.as_int) {
    number.as_float = static_cast<double>(*number.as_int);
    if (*number.as_int == 0) {
      number.as_uint = 0;  // "-0" and "+0" too.
    }
  } else if (number.as_uint) {
    number.as_float = static_cast<double>(*number.as_uint);
  } else {
    return parse_float_number(number);
  }
  return number;
}

}  // namespace chartwright::tmpl
