// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "go/format_float.h"

namespace chartwright::go {
namespace {

constexpr int kMantissaBits = 52;
constexpr int kExponentBias = 1023;
constexpr uint64_t kOne = 1;

// The decimal digits of a finite double: d[0].d[1]... times 10^(point-1), without trailing zeros.
// Zero has no digits and point 0.
struct Decimal {
  bool negative = false;
  std::string digits;
  int point = 0;
};

// Returns `count` significant digits, correctly rounded; if `count` is 0, the fewest digits that
// parse back to `d`.
Decimal to_decimal(double d, int count) {
  Decimal out;
  out.negative = std::signbit(d);
  if (d == 0) {
    return out;
  }
  std::string buffer(static_cast<size_t>(std::max(count, 32)) + 16, '\0');
  char* end = buffer.data() + buffer.size();
  const double magnitude = std::fabs(d);
  const auto result =
      count == 0
          ? std::to_chars(buffer.data(), end, magnitude, std::chars_format::scientific)
          : std::to_chars(buffer.data(), end, magnitude, std::chars_format::scientific, count - 1);
  CW_CHECK(result.ec == std::errc());
  buffer.resize(static_cast<size_t>(result.ptr - buffer.data()));
  const size_t e = buffer.find('e');
  for (char c : buffer.substr(0, e)) {
    if (c != '.') {
      out.digits += c;
    }
  }
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  int exponent = 0;
  std::from_chars(buffer.data() + e + (buffer[e + 1] == '+' ? 2 : 1), buffer.data() + buffer.size(),
                  exponent);
  out.point = exponent + 1;
  return out;
}

std::string padded_exponent(int exponent) {
  std::string out(exponent < 0 ? "-" : "+");
  const std::string digits = std::to_string(std::abs(exponent));
  return out + (digits.size() < 2 ? "0" : "") + digits;
}

// Formats as d.ddde+dd with `precision` digits after the point.
std::string layout_exponent(const Decimal& d, int precision, char letter) {
  std::string out(d.negative ? "-" : "");
  out += d.digits.empty() ? '0' : d.digits[0];
  if (precision > 0) {
    const auto wanted = static_cast<size_t>(precision);
    const std::string fraction = d.digits.size() > 1 ? d.digits.substr(1, wanted) : std::string();
    out += "." + fraction + std::string(wanted - fraction.size(), '0');
  }
  out += letter;
  return out + padded_exponent(d.digits.empty() ? 0 : d.point - 1);
}

// Formats as ddd.ddd with `precision` digits after the point.
std::string layout_fixed(const Decimal& d, int precision) {
  const auto digit = [&d](int i) {
    return i >= 0 && i < static_cast<int>(d.digits.size()) ? d.digits[static_cast<size_t>(i)] : '0';
  };
  std::string out(d.negative ? "-" : "");
  if (d.point <= 0) {
    out += '0';
  }
  for (int i = 0; i < d.point; ++i) {
    out += digit(i);
  }
  if (precision > 0) {
    out += '.';
    for (int i = 0; i < precision; ++i) {
      out += digit(d.point + i);
    }
  }
  return out;
}

// Formats as %g does: like %e for a very small or large exponent, otherwise like %f. A negative
// precision asks for the fewest digits.
std::string layout_general(const Decimal& d, int precision, char verb) {
  constexpr int kShortestThreshold = 6;
  const bool shortest = precision < 0;
  const int count = static_cast<int>(d.digits.size());
  int digits = shortest ? count : precision;
  int threshold = digits;
  if (threshold > count && count >= d.point) {
    threshold = count;
  }
  if (shortest) {
    threshold = kShortestThreshold;
  }
  if (d.point - 1 < -4 || d.point - 1 >= threshold) {
    return layout_exponent(d, std::min(digits, count) - 1, verb == 'G' ? 'E' : 'e');
  }
  if (digits > d.point) {
    digits = count;
  }
  return layout_fixed(d, std::max(digits - d.point, 0));
}

// Formats as %e or %f with the given precision, correctly rounded.
std::string fixed_precision(double d, std::chars_format format, int precision) {
  constexpr size_t kLongestInteger = 330;
  std::string buffer(kLongestInteger + static_cast<size_t>(precision), '\0');
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, format, precision);
  CW_CHECK(result.ec == std::errc());
  buffer.resize(static_cast<size_t>(result.ptr - buffer.data()));
  return buffer;
}

// A mantissa with its leading one at bit 52 (unless denormal), and the exponent of that bit.
struct Binary {
  uint64_t mantissa = 0;
  int exponent = 0;
};

Binary to_binary(double d) {
  const auto bits = std::bit_cast<uint64_t>(d);
  const int biased = static_cast<int>(bits >> kMantissaBits & 0x7FFU);
  const uint64_t fraction = bits & ((kOne << kMantissaBits) - 1);
  if (biased == 0) {
    return {fraction, 1 - kExponentBias};
  }
  return {fraction | kOne << kMantissaBits, biased - kExponentBias};
}

// Formats as -ddddp±ddd.
std::string layout_binary(double d) {
  const Binary b = to_binary(d);
  const int exponent = b.exponent - kMantissaBits;
  return (std::signbit(d) ? "-" : "") + std::to_string(b.mantissa) + "p" +
         (exponent >= 0 ? "+" : "") + std::to_string(exponent);
}

// Rounds a mantissa whose leading one is at bit 60 to `digits` hexadecimal digits, half to even.
void round_hex(Binary& b, int digits) {
  const unsigned shift = static_cast<unsigned>(digits) * 4;
  const uint64_t extra = (b.mantissa << shift) & ((kOne << 60) - 1);
  b.mantissa >>= 60 - shift;
  if ((extra | (b.mantissa & 1)) > kOne << 59) {
    ++b.mantissa;
  }
  b.mantissa <<= 60 - shift;
  if ((b.mantissa & kOne << 61) != 0) {
    b.mantissa >>= 1;
    ++b.exponent;
  }
}

// Formats as -0x1.yyyyyyyyp±dd.
std::string layout_hex(double d, int precision, char verb) {
  const std::string_view digits = verb == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  Binary b = to_binary(d);
  if (b.mantissa == 0) {
    b.exponent = 0;
  }
  b.mantissa <<= 60 - kMantissaBits;
  while (b.mantissa != 0 && (b.mantissa & kOne << 60) == 0) {
    b.mantissa <<= 1;
    --b.exponent;
  }
  constexpr int kHexDigits = 15;
  if (precision >= 0 && precision < kHexDigits) {
    round_hex(b, precision);
  }
  std::string out = std::signbit(d) ? "-0" : "0";
  out += verb;
  out += static_cast<char>('0' + (b.mantissa >> 60 & 1));
  b.mantissa <<= 4;
  if (precision < 0 ? b.mantissa != 0 : precision > 0) {
    out += '.';
    for (int i = 0; precision < 0 ? b.mantissa != 0 : i < precision; ++i) {
      out += digits[b.mantissa >> 60 & 0xFU];
      b.mantissa <<= 4;
    }
  }
  return out + (verb == 'X' ? 'P' : 'p') + padded_exponent(b.exponent);
}

}  // namespace

std::string format_float(double d, char verb, int precision) {
  if (std::isnan(d)) {
    return "NaN";
  }
  if (std::isinf(d)) {
    return d < 0 ? "-Inf" : "+Inf";
  }
  switch (verb) {
    case 'b':
      return layout_binary(d);
    case 'x':
    case 'X':
      return layout_hex(d, precision, verb);
    case 'e':
    case 'E':
      if (precision < 0) {
        const Decimal decimal = to_decimal(d, 0);
        return layout_exponent(decimal, std::max(static_cast<int>(decimal.digits.size()) - 1, 0),
                               verb);
      } else {
        std::string out = fixed_precision(d, std::chars_format::scientific, precision);
        std::replace(out.begin(), out.end(), 'e', verb);
        return out;
      }
    case 'f':
      if (precision < 0) {
        const Decimal decimal = to_decimal(d, 0);
        const int count = static_cast<int>(decimal.digits.size());
        return layout_fixed(decimal, std::max(count - decimal.point, 0));
      }
      return fixed_precision(d, std::chars_format::fixed, precision);
    default: {
      const int count = precision < 0 ? 0 : std::max(precision, 1);
      return layout_general(to_decimal(d, count), precision < 0 ? precision : count, verb);
    }
  }
}

}  // namespace chartwright::go
