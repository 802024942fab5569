// SPDX-License-Identifier: Apache-2.0
// Values as schemas see them: types, equality, exact decimals and numbers in messages.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>

#include "base/strings.h"
#include "go/quote.h"
#include "helm/schema/graph.h"

namespace chartwright::helm {
namespace {

using value::Value;

/// digits * 10^exponent, without trailing zeros in `digits`.
struct Decimal {
  uint64_t digits = 0;
  int exponent = 0;
};

std::string shortest_scientific(double d) {
  std::array<char, 32> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, std::chars_format::scientific);
  return {buffer.data(), end.ptr};
}

/// Returns the absolute value of a number, exactly as in its shortest decimal form.
Decimal decimal_of(const Value& v) {
  Decimal decimal;
  if (v.is_int()) {
    const auto bits = static_cast<uint64_t>(v.as_int());
    decimal.digits = v.as_int() < 0 ? 0 - bits : bits;
  } else {
    const std::string text = shortest_scientific(std::fabs(v.as_float()));
    const size_t e = text.find('e');
    int fraction_digits = 0;
    for (size_t i = 0; i < e; ++i) {
      if (text[i] == '.') {
        fraction_digits = static_cast<int>(e - i - 1);
      } else {
        decimal.digits = decimal.digits * 10 + static_cast<uint64_t>(text[i] - '0');
      }
    }
    const std::string exponent = text.substr(text[e + 1] == '+' ? e + 2 : e + 1);
    decimal.exponent = static_cast<int>(base::parse_int(exponent).value_or(0)) - fraction_digits;
  }
  while (decimal.digits != 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
  }
  return decimal;
}

/// Inserts a comma after every three digits from the right.
std::string grouped(std::string_view digits) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      out += ',';
    }
    out += digits[i];
  }
  return out;
}

std::string superscript(std::string_view exponent) {
  static constexpr std::array kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : exponent) {
    if (c == '-') {
      out += "⁻";
    } else if (c != '+') {
      out += kDigits[static_cast<size_t>(c - '0')];
    }
  }
  return out;
}

/// Returns a number by its shortest decimal form, which the Go library compares: 2^60 as a float is
/// 1152921504606847000. On x86 a long double represents every int64 and every double exactly.
long double number_of(const Value& v) {
  constexpr double kWholeFrom = 0x1p53;  // Smaller doubles compare correctly with whole numbers,
  constexpr double kWholeTo = 0x1p64;    // and larger ones exceed every int64.
  if (v.is_int()) {
    return static_cast<long double>(v.as_int());
  }
  const double d = v.as_float();
  if (std::fabs(d) < kWholeFrom || std::fabs(d) >= kWholeTo) {
    return d;
  }
  const Decimal decimal = decimal_of(v);
  auto whole = static_cast<long double>(decimal.digits);
  for (int i = 0; i < decimal.exponent; ++i) {
    whole *= 10;
  }
  return d < 0 ? -whole : whole;
}

int sign_of(std::partial_ordering order) {
  if (order < 0) {
    return -1;
  }
  return order > 0 ? 1 : 0;
}

int list_order(const std::vector<Value>& a, const std::vector<Value>& b, int64_t& steps) {
  int order = sign_of(a.size() <=> b.size());
  for (size_t i = 0; order == 0 && i < a.size(); ++i) {
    order = json_order(a[i], b[i], steps);
  }
  return order;
}

int dict_order(const value::Dict& a, const value::Dict& b, int64_t& steps) {
  int order = sign_of(a.size() <=> b.size());
  for (auto x = a.begin(), y = b.begin(); order == 0 && x != a.end(); ++x, ++y) {
    order = sign_of(x->first <=> y->first);
    if (order == 0) {
      order = json_order(x->second, y->second, steps);
    }
  }
  return order;
}

}  // namespace

JsonType json_type_of(const Value& v) {
  switch (v.kind()) {
    case value::Kind::kBool:
      return kBooleanType;
    case value::Kind::kInt:
    case value::Kind::kFloat:
      return kNumberType;
    case value::Kind::kString:
      return kStringType;
    case value::Kind::kList:
      return kArrayType;
    case value::Kind::kDict:
      return kObjectType;
    default:
      return kNullType;
  }
}

std::string_view json_type_name(JsonType type) {
  switch (type) {
    case kBooleanType:
      return "boolean";
    case kNumberType:
      return "number";
    case kIntegerType:
      return "integer";
    case kStringType:
      return "string";
    case kArrayType:
      return "array";
    case kObjectType:
      return "object";
    default:
      return "null";
  }
}

int compare_json_numbers(const Value& a, const Value& b) {
  return sign_of(number_of(a) <=> number_of(b));
}

int json_order(const Value& a, const Value& b, int64_t& steps) {
  ++steps;
  const JsonType type = json_type_of(a);
  if (type != json_type_of(b)) {
    return sign_of(type <=> json_type_of(b));
  }
  switch (type) {
    case kBooleanType:
      return sign_of(a.as_bool() <=> b.as_bool());
    case kNumberType:
      return compare_json_numbers(a, b);
    case kStringType:
      steps += text_steps(std::min(a.as_string().size(), b.as_string().size()));
      return sign_of(a.as_string() <=> b.as_string());
    case kArrayType:
      return list_order(a.as_list().items, b.as_list().items, steps);
    case kObjectType:
      return dict_order(a.as_dict(), b.as_dict(), steps);
    default:
      return 0;
  }
}

bool is_json_integer(const Value& v) {
  return v.is_int() || (v.is_float() && std::floor(v.as_float()) == v.as_float());
}

int64_t lowest_bits(const Value& v) {
  if (v.is_int()) {
    return v.as_int();
  }
  const Decimal decimal = decimal_of(v);
  uint64_t bits = decimal.digits;
  for (int i = 0; i < decimal.exponent; ++i) {
    bits *= 10;
  }
  return static_cast<int64_t>(v.as_float() < 0 ? 0 - bits : bits);
}

bool is_multiple_of(const Value& v, const Value& divisor) {
  const Decimal number = decimal_of(v);
  const Decimal by = decimal_of(divisor);
  if (number.digits == 0 || by.digits == 0) {
    return number.digits == 0;
  }
  // The quotient is whole if digits * 10^(difference of exponents) is divisible by the divisor's
  // digits. As digits never end in 0, a negative difference always leaves a fraction.
  const int difference = number.exponent - by.exponent;
  if (difference < 0) {
    return false;
  }
  uint64_t remainder = number.digits % by.digits;
  for (int i = 0; i < difference && remainder != 0; ++i) {
    uint64_t tenfold = 0;
    for (int j = 0; j < 10; ++j) {  // by additions, which cannot overflow
      tenfold = tenfold >= by.digits - remainder ? tenfold - (by.digits - remainder)
                                                 : tenfold + remainder;
    }
    remainder = tenfold;
  }
  return remainder == 0;
}

std::string single_quoted(std::string_view text) {
  // This also replaces the closing quote if the string ends in a backslash.
  std::string quoted = base::replace_all(go::quote(text), "\\\"", "\"");
  quoted = base::replace_all(quoted, "'", "\\'");
  return "'" + quoted.substr(1, quoted.size() - 2) + "'";
}

std::string localized_integer(int64_t number) {
  const std::string text = std::to_string(number);
  return number < 0 ? "-" + grouped(std::string_view(text).substr(1)) : grouped(text);
}

std::string localized_number(const Value& v) {
  const double d = v.is_int() ? static_cast<double>(v.as_int()) : v.as_float();
  const std::string scientific = shortest_scientific(d);
  const size_t e = scientific.find('e');
  const std::string exponent_text = scientific.substr(e + 1);
  const int64_t exponent =
      base::parse_int(exponent_text[0] == '+' ? exponent_text.substr(1) : exponent_text)
          .value_or(0);
  if (exponent < -4 || exponent >= 6) {
    return scientific.substr(0, e) + "×10" + superscript(exponent_text);
  }
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, std::chars_format::fixed);
  const std::string fixed(buffer.data(), end.ptr);
  const size_t first = fixed[0] == '-' ? 1 : 0;
  const size_t dot = std::min(fixed.size(), fixed.find('.'));
  return fixed.substr(0, first) + grouped(fixed.substr(first, dot - first)) + fixed.substr(dot);
}

}  // namespace chartwright::helm
