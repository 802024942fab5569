// SPDX-License-Identifier: Apache-2.0
#include "kube/quantity.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "base/strings.h"
#include "value/json.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;

constexpr int64_t kNanoExponent = -9;
// Up to this many digits, Kubernetes keeps a number in an int64, together with the parsed string.
constexpr size_t kInt64Digits = 18;
constexpr std::string_view kMaxBinary = "9223372036854775807";
constexpr std::string_view kDecimalSuffixes = "numkMGTPE";
constexpr std::string_view kBinarySuffixes = "KMGTPE";
constexpr std::string_view kSuffixCharacters = "eEinumkKMGTP";

// Removes digits from the front of `rest`.
std::string_view take_digits(std::string_view& rest) {
  const size_t length = static_cast<size_t>(
      std::find_if_not(rest.begin(), rest.end(), base::is_ascii_digit<char>) - rest.begin());
  const std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  return digits;
}

Error format_error() {
  return Error(ErrorCode::kParse,
               "quantities must match the regular expression "
               "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

Error suffix_error() { return Error(ErrorCode::kParse, "unable to parse quantity's suffix"); }

// Returns the power of ten of a decimal suffix: "n" is -9, "" is 0, "E" is 18.
std::optional<int> decimal_exponent(std::string_view suffix) {
  if (suffix.empty()) {
    return 0;
  }
  const size_t at = suffix.size() == 1 ? kDecimalSuffixes.find(suffix[0]) : std::string_view::npos;
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const int step = static_cast<int>(at) - 3;  // n, u, m are below one; k and the rest above.
  return 3 * (step < 0 ? step : step + 1);
}

// Returns the power of two of a binary suffix: "Ki" is 10, "Ei" is 60.
std::optional<int> binary_exponent(std::string_view suffix) {
  const size_t at = suffix.size() == 2 && suffix[1] == 'i' ? kBinarySuffixes.find(suffix[0])
                                                           : std::string_view::npos;
  return at == std::string_view::npos ? std::nullopt
                                      : std::optional(10 * (static_cast<int>(at) + 1));
}

}  // namespace

// The parts of a quantity's string, not yet interpreted.
struct Quantity::Scanned {
  std::string_view text;
  bool negative = false;
  std::string_view whole;  // Without leading zeros; "0" if nothing is left.
  std::string_view fraction;
  std::string_view suffix;
  bool has_digits = false;  // A lone sign or point is sometimes zero.
};

struct Quantity::Suffix {
  Format format = Format::kDecimalSi;
  int exponent = 0;  // To base two for kBinarySi, otherwise ten.
};

base::Result<Quantity::Scanned> Quantity::scan(std::string_view text) {
  Scanned out;
  out.text = text;
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    out.negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  rest.remove_prefix(std::min(rest.find_first_not_of('0'), rest.size()));
  out.whole = take_digits(rest);
  if (out.whole.empty()) {
    out.whole = "0";
  }
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    out.fraction = take_digits(rest);
  }
  const std::string_view number = text.substr(0, text.size() - rest.size());
  out.has_digits = std::any_of(number.begin(), number.end(), base::is_ascii_digit<char>);
  out.suffix = rest;
  rest.remove_prefix(std::min(rest.find_first_not_of(kSuffixCharacters), rest.size()));
  if (rest.starts_with('-') || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  take_digits(rest);
  if (!rest.empty()) {
    return format_error();
  }
  return out;
}

base::Result<Quantity::Suffix> Quantity::read_suffix(std::string_view text) {
  if (const std::optional<int> exponent = decimal_exponent(text)) {
    return Suffix{Format::kDecimalSi, *exponent};
  }
  if (const std::optional<int> exponent = binary_exponent(text)) {
    return Suffix{Format::kBinarySi, *exponent};
  }
  if (text.size() > 1 && (text[0] == 'e' || text[0] == 'E')) {
    const std::optional<int64_t> exponent = base::parse_int(text.substr(1));
    if (exponent && *exponent >= std::numeric_limits<int32_t>::min() &&
        *exponent <= std::numeric_limits<int32_t>::max()) {
      return Suffix{Format::kDecimalExponent, static_cast<int>(*exponent)};
    }
  }
  return suffix_error();
}

// Reports whether Kubernetes parses the number into an int64, without its arbitrary-precision
// decimals. The two parsers differ in what they accept and in which strings they keep.
bool Quantity::takes_fast_path(const Scanned& scanned, const Suffix& suffix) {
  if (suffix.format == Format::kBinarySi) {
    const auto digits = static_cast<int>(scanned.whole.size());
    const int precision = 15 - digits - suffix.exponent * 3 / 10 - 1;
    return scanned.fraction.empty() && precision >= 0;
  }
  const int64_t scale = suffix.exponent - static_cast<int64_t>(scanned.fraction.size());
  return scanned.whole.size() + scanned.fraction.size() <= kInt64Digits && scale >= kNanoExponent;
}

// Kubernetes keeps the string of a number that takes its fast path and looks canonical, even if it
// is not quite ("+5", "1.50m"). So do we, to print what the API server will print.
bool Quantity::is_already_canonical(const Scanned& scanned, const Suffix& suffix) {
  if (!takes_fast_path(scanned, suffix)) {
    return false;
  }
  if (suffix.format == Format::kBinarySi) {
    return (*base::parse_int(scanned.whole) & 7) != 0;
  }
  const std::string digits = std::string(scanned.whole) + std::string(scanned.fraction);
  const int64_t scale = suffix.exponent - static_cast<int64_t>(scanned.fraction.size());
  return scale % 3 == 0 && !digits.ends_with("000") && digits[0] != '0';
}

base::Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) {
    return format_error();
  }
  if (text.size() > kMaxBytes) {
    return Error(ErrorCode::kBudget,
                 "quantity is longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  CW_TRY(const Scanned scanned, scan(text));
  CW_TRY(const Suffix suffix, read_suffix(scanned.suffix));
  if (!scanned.has_digits && !takes_fast_path(scanned, suffix)) {
    return Error(ErrorCode::kParse, "unable to parse numeric part of quantity");
  }
  Quantity out;
  out.negative_ = scanned.negative;
  out.format_ = suffix.format;
  out.digits_ = std::string(scanned.whole) + std::string(scanned.fraction);
  out.exponent_ = -static_cast<int64_t>(scanned.fraction.size());
  if (suffix.format == Format::kBinarySi) {
    out.multiply_by_power_of_two(suffix.exponent);
  } else {
    out.exponent_ += suffix.exponent;
  }
  out.normalise();
  out.round_up_to_nanos();
  if (suffix.format == Format::kBinarySi) {
    Quantity most;
    most.digits_ = kMaxBinary;
    if (std::is_gt(out.compare_magnitude(most))) {
      out.digits_ = kMaxBinary;
      out.exponent_ = 0;
    }
  }
  if (is_already_canonical(scanned, suffix)) {
    out.text_ = text;
  }
  return out;
}

base::Result<Quantity> Quantity::from_value(const value::Value& v) {
  if (v.is_string()) {
    return parse(base::trim(v.as_string()));
  }
  if (v.is_number()) {
    CW_TRY(const std::string text, value::to_json(v));
    return parse(text);
  }
  return Error(ErrorCode::kParse, "a quantity must be a string or a number");
}

void Quantity::normalise() {
  digits_.erase(0, std::min(digits_.find_first_not_of('0'), digits_.size()));
  const size_t kept = digits_.find_last_not_of('0') + 1;  // 0 if all digits are 0.
  exponent_ += static_cast<int64_t>(digits_.size() - kept);
  digits_.erase(kept);
  if (digits_.empty()) {
    exponent_ = 0;
    negative_ = false;
  }
}

// Rounds away from zero, so that a request for a little of a resource does not become zero.
void Quantity::round_up_to_nanos() {
  if (digits_.empty() || exponent_ >= kNanoExponent) {
    return;
  }
  // The last digit is not zero, so cutting it off always requires one more unit.
  const int64_t excess = kNanoExponent - exponent_;
  const auto size = static_cast<int64_t>(digits_.size());
  digits_.erase(static_cast<size_t>(std::max<int64_t>(0, size - excess)));
  exponent_ = kNanoExponent;
  size_t i = digits_.size();
  while (i > 0 && digits_[i - 1] == '9') {
    digits_[--i] = '0';
  }
  if (i == 0) {
    digits_.insert(0, 1, '1');
  } else {
    ++digits_[i - 1];
  }
  normalise();
}

void Quantity::multiply_by_power_of_two(int exponent) {
  constexpr int kBitsAtOnce = 30;  // Keeps digit, factor and carry well within 64 bits.
  while (exponent > 0) {
    const int bits = std::min(exponent, kBitsAtOnce);
    uint64_t carry = 0;
    for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) {
      const uint64_t product = (static_cast<uint64_t>(*digit - '0') << bits) + carry;
      *digit = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry > 0) {
      digits_.insert(0, std::to_string(carry));
    }
    exponent -= bits;
  }
}

// Neither has leading zeros, so the position of the first digit decides, then the digit strings.
std::strong_ordering Quantity::compare_magnitude(const Quantity& other) const {
  if (is_zero() || other.is_zero()) {
    return !is_zero() <=> !other.is_zero();
  }
  const int64_t place = exponent_ + static_cast<int64_t>(digits_.size());
  const int64_t other_place = other.exponent_ + static_cast<int64_t>(other.digits_.size());
  if (place != other_place) {
    return place <=> other_place;
  }
  return digits_.compare(other.digits_) <=> 0;
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (negative_ != other.negative_) {
    return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return negative_ ? other.compare_magnitude(*this) : compare_magnitude(other);
}

std::string Quantity::to_string() const {
  if (is_zero()) {
    return "0";
  }
  if (!text_.empty()) {
    return text_;
  }
  if (format_ != Format::kBinarySi) {
    return decimal_text(format_);
  }
  // Small or fractional binary numbers are written with decimal suffixes, to lose nothing.
  Quantity kibi;
  kibi.digits_ = "1024";
  const bool binary = exponent_ >= 0 && std::is_gteq(compare_magnitude(kibi));
  return binary ? binary_text() : decimal_text(Format::kDecimalSi);
}

std::string Quantity::decimal_text(Format format) const {
  const int64_t zeros = (exponent_ % 3 + 3) % 3;
  const int64_t exponent = exponent_ - zeros;
  std::string out = (negative_ ? "-" : "") + digits_ + std::string(static_cast<size_t>(zeros), '0');
  if (exponent == 0) {
    return out;
  }
  constexpr int64_t kExaExponent = 18;
  if (format == Format::kDecimalExponent || exponent > kExaExponent) {
    return out + "e" + std::to_string(exponent);
  }
  const int64_t step = exponent / 3;
  return out + kDecimalSuffixes[static_cast<size_t>(step < 0 ? step + 3 : step + 2)];
}

// Formats a whole number from 1024 to kMaxBinary.
std::string Quantity::binary_text() const {
  int64_t number = *base::parse_int(digits_ + std::string(static_cast<size_t>(exponent_), '0'));
  size_t steps = 0;
  while (number % 1024 == 0) {
    number /= 1024;
    ++steps;
  }
  std::string out = (negative_ ? "-" : "") + std::to_string(number);
  if (steps > 0) {
    out += kBinarySuffixes[steps - 1];
    out += 'i';
  }
  return out;
}

}  // namespace chartwright::kube
