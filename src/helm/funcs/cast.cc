// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/cast.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/number_text.h"
#include "helm/funcs/time_value.h"

namespace chartwright::helm::funcs {
namespace {

int digit_of(char c) {
  if (base::is_ascii_digit(c)) {
    return c - '0';
  }
  return base::is_ascii_letter(c) ? base::to_ascii_lower(c) - 'a' + 10 : 99;
}

ParsedInt out_of_range(bool negative) {
  using Limits = std::numeric_limits<int64_t>;
  return {negative ? Limits::min() : Limits::max(), false};
}

ParsedInt with_sign(uint64_t magnitude, bool negative) {
  constexpr uint64_t kMin = uint64_t{1} << 63U;
  if (negative ? magnitude > kMin : magnitude >= kMin) {
    return out_of_range(negative);
  }
  return {static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude), true};
}

std::optional<double> special_float(std::string_view unsigned_text, bool has_sign) {
  const std::string word = base::to_lower_ascii(unsigned_text);
  if (word == "inf" || word == "infinity") {
    return std::numeric_limits<double>::infinity();
  }
  if (word == "nan" && !has_sign) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::nullopt;
}

// from_chars does not distinguish overflow, which is an error in Go, from underflow, which is not.
std::optional<double> tiny_or_nothing(const std::string& digits, bool hex) {
  const double d = std::strtod((hex ? "0x" + digits : digits).c_str(), nullptr);
  return std::abs(d) < 1 ? std::optional<double>(d) : std::nullopt;
}

std::optional<double> parse_unsigned_float(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && base::to_ascii_lower(text[1]) == 'x';
  if (hex && text.find_first_of("pP") == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string digits = go::without_underscores(hex ? text.substr(2) : text);
  if (digits.empty() || (!base::is_ascii_digit(digits[0]) && digits[0] != '.' &&
                         !(hex && base::is_ascii_hex_digit(digits[0])))) {
    return std::nullopt;
  }
  double d = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(
      digits.data(), end, d, hex ? std::chars_format::hex : std::chars_format::general);
  if (stop != end || code == std::errc::invalid_argument) {
    return std::nullopt;
  }
  return code == std::errc() ? std::optional<double>(d) : tiny_or_nothing(digits, hex);
}

// Removes a trailing ".0", ".00" and so on, as cast does before it parses an integer.
// Source: spf13/cast v1.7.0 trimZeroDecimal.
std::string_view without_zero_decimals(std::string_view text) {
  bool found_zero = false;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == '.' && found_zero) {
      return text.substr(0, i);
    }
    if (text[i] != '.' && text[i] != '0') {
      return text;
    }
    found_zero = found_zero || text[i] == '0';
  }
  return text;
}

int64_t text_to_int(std::string_view text) {
  const ParsedInt parsed = parse_int(without_zero_decimals(text), 0);
  return parsed.ok ? parsed.value : 0;
}

}  // namespace

ParsedInt parse_int(std::string_view text, int base) {
  std::string_view digits = text;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) {
    digits.remove_prefix(1);
  }
  if (digits.empty()) {
    return {};
  }
  const bool skip_underscores = base == 0;
  const auto radix = static_cast<uint64_t>(base == 0 ? go::take_base_prefix(digits) : base);
  uint64_t magnitude = 0;
  for (char c : digits) {
    if (skip_underscores && c == '_') {
      continue;
    }
    const auto digit = static_cast<uint64_t>(digit_of(c));
    if (digit >= radix) {
      return {};
    }
    if (__builtin_mul_overflow(magnitude, radix, &magnitude) ||
        __builtin_add_overflow(magnitude, digit, &magnitude)) {
      return out_of_range(negative);  // Go does not look at what follows.
    }
  }
  if (skip_underscores && !go::has_proper_underscores(text)) {
    return {};
  }
  return with_sign(magnitude, negative);
}

std::optional<double> parse_float(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  const bool has_sign = negative || (!text.empty() && text[0] == '+');
  if (has_sign) {
    text.remove_prefix(1);
  }
  std::optional<double> magnitude = special_float(text, has_sign);
  if (!magnitude && go::has_proper_underscores(text)) {
    magnitude = parse_unsigned_float(text);
  }
  if (magnitude && negative) {
    return -*magnitude;
  }
  return magnitude;
}

int64_t truncate_to_int(double d) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(d >= -kLimit && d < kLimit)) {
    return std::numeric_limits<int64_t>::min();
  }
  return static_cast<int64_t>(d);
}

int64_t to_int64(const value::Value& v) {
  switch (v.kind()) {
    case value::Kind::kInt:
      return v.as_int();
    case value::Kind::kFloat:
      return truncate_to_int(v.as_float());
    case value::Kind::kString:
      return text_to_int(v.as_string());
    case value::Kind::kBool:
      return v.as_bool() ? 1 : 0;
    default:
      return as_named_number(v).value_or(0);
  }
}

double to_float64(const value::Value& v) {
  switch (v.kind()) {
    case value::Kind::kInt:
      return v.int_type() == value::IntType::kUint64
                 ? static_cast<double>(static_cast<uint64_t>(v.as_int()))
                 : static_cast<double>(v.as_int());
    case value::Kind::kFloat:
      return v.as_float();
    case value::Kind::kString:
      return parse_float(v.as_string()).value_or(0);
    case value::Kind::kBool:
      return v.as_bool() ? 1 : 0;
    default:
      return static_cast<double>(as_named_number(v).value_or(0));
  }
}

}  // namespace chartwright::helm::funcs
