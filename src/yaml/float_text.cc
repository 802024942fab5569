// SPDX-License-Identifier: Apache-2.0
#include "yaml/float_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace chartwright::yaml {
namespace {

// The shortest digits that read back as the same number: 0.d1d2d3... times 10^point.
struct Decimal {
  bool negative = false;
  std::string digits;
  int point = 0;
  std::string scientific;  // The same number as d.ddde+XX.
};

template <typename Float>
Decimal shortest(Float f) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), f, std::chars_format::scientific);
  Decimal d;
  d.scientific.assign(buffer.data(), end.ptr);
  std::string_view text = d.scientific;
  if (text.starts_with('-')) {
    d.negative = true;
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  for (char c : text.substr(0, e)) {
    if (c != '.') {
      d.digits.push_back(c);
    }
  }
  std::string_view exponent = text.substr(e + 1);
  const bool below_one = exponent.starts_with('-');
  exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), d.point);
  d.point = (below_one ? -d.point : d.point) + 1;
  return d;
}

std::string without_exponent(const Decimal& d) {
  std::string out = d.negative ? "-" : "";
  const auto count = static_cast<int>(d.digits.size());
  if (d.point <= 0) {
    out += '0';
  } else {
    const auto whole = static_cast<size_t>(std::min(count, d.point));
    out.append(d.digits, 0, whole);
    out.append(static_cast<size_t>(d.point) - whole, '0');
  }
  if (count > d.point && d.digits != "0") {
    out += '.';
    out.append(static_cast<size_t>(std::max(0, -d.point)), '0');
    out.append(d.digits, static_cast<size_t>(std::max(0, d.point)), std::string::npos);
  }
  return out;
}

}  // namespace

std::string format_float_g(double d, FloatBits bits) {
  if (std::isnan(d)) {
    return "NaN";
  }
  const Decimal decimal =
      bits == FloatBits::k32 && std::isfinite(d) ? shortest(static_cast<float>(d)) : Decimal{};
  const bool infinite = std::isinf(d) || decimal.scientific.ends_with("inf");
  if (infinite) {
    return d < 0 ? "-Inf" : "+Inf";
  }
  const Decimal digits = bits == FloatBits::k32 ? decimal : shortest(d);
  // strconv's thresholds for %g when the shortest digits are requested.
  const int exponent = digits.point - 1;
  constexpr int kSmallestFixed = -4;
  constexpr int kFirstScientific = 6;
  return exponent < kSmallestFixed || exponent >= kFirstScientific ? digits.scientific
                                                                   : without_exponent(digits);
}

std::string format_float_f(double d) { return without_exponent(shortest(d)); }

}  // namespace chartwright::yaml
