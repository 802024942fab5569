// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::kube {

/// A Kubernetes resource quantity ("500m", "2Gi", "1e3"): an exact decimal number, rounded away
/// from zero to whole nanos. Immutable. Source: k8s.io/apimachinery pkg/api/resource v0.36.3.
class Quantity {
 public:
  static constexpr size_t kMaxBytes = 1024;

  Quantity() = default;  ///< Zero.
  /// Accepts what the API server accepts, even a lone sign (zero). Binary quantities are capped at
  /// 2^63-1, as in Kubernetes. Errors: kParse with Kubernetes' message; kBudget past kMaxBytes.
  /// Deviation: an exponent outside int32 is refused; Kubernetes wraps it around.
  static base::Result<Quantity> parse(std::string_view text);
  /// Parses a field of an object: a string, or a number in its JSON form. Error: kParse.
  static base::Result<Quantity> from_value(const value::Value& v);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  /// Compares by numeric value only: "1Gi" equals "1024Mi".
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return std::is_eq(*this <=> other); }

  /// Returns the canonical form, as the API server writes it: no fraction, and the largest possible
  /// suffix of the family that was parsed ("1.5Gi" is "1536Mi"). Deviation: a decimal number past
  /// the suffix E is written with an exponent; Kubernetes drops the factor.
  std::string to_string() const;

 private:
  enum class Format : uint8_t { kDecimalSi, kBinarySi, kDecimalExponent };
  struct Scanned;
  struct Suffix;

  static base::Result<Scanned> scan(std::string_view text);
  static base::Result<Suffix> read_suffix(std::string_view text);
  static bool takes_fast_path(const Scanned& scanned, const Suffix& suffix);
  static bool is_already_canonical(const Scanned& scanned, const Suffix& suffix);
  void normalise();
  void round_up_to_nanos();
  void multiply_by_power_of_two(int exponent);
  std::strong_ordering compare_magnitude(const Quantity& other) const;
  std::string decimal_text(Format format) const;
  std::string binary_text() const;

  // The number is digits_ * 10^exponent_. digits_ has no leading or trailing zeros and is empty
  // for zero.
  bool negative_ = false;
  std::string digits_;
  int64_t exponent_ = 0;
  Format format_ = Format::kDecimalSi;
  // The parsed string, if Kubernetes considers it canonical and so writes it back unchanged.
  std::string text_;
};

}  // namespace chartwright::kube
