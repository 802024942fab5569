// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"

struct bignum_st;  // OpenSSL's BIGNUM

namespace chartwright::helm::funcs {

/// An exact decimal number: coefficient x 10^exponent with a coefficient of up to about 100,000
/// digits. Immutable except for assignment. Every function that returns a Decimal may fail with
/// kBudget if it would have more digits, or with kInternal if OpenSSL runs out of memory. Source:
/// shopspring/decimal v1.4.0 decimal.go.
class Decimal {
 public:
  /// Returns the shortest decimal that parses back to `d`.
  /// Error: kTemplate `Cannot create a Decimal from NaN` (or +Inf, -Inf).
  static base::Result<Decimal> from_double(double d);

  Decimal(Decimal&& other) noexcept;
  Decimal& operator=(Decimal&& other) noexcept;
  ~Decimal();

  base::Result<Decimal> plus(const Decimal& other) const;
  base::Result<Decimal> minus(const Decimal& other) const;
  base::Result<Decimal> times(const Decimal& other) const;
  /// Rounds half away from zero to 16 digits after the decimal point.
  /// Error: kTemplate `decimal division by 0`.
  base::Result<Decimal> divided_by(const Decimal& other) const;

  /// Returns the nearest double, infinite if the number is out of range.
  base::Result<double> to_double() const;

 private:
  struct Free {
    void operator()(bignum_st* n) const;
  };
  using Big = std::unique_ptr<bignum_st, Free>;
  Decimal(Big coefficient, int64_t exponent);
  static base::Result<Decimal> make(Big coefficient, int64_t exponent);
  static base::Result<Big> new_big();
  /// Returns the coefficient of the same number at `exponent`, which must not exceed exponent_.
  base::Result<Big> scaled_to(int64_t exponent) const;

  Big coefficient_;
  int64_t exponent_;
};

}  // namespace chartwright::helm::funcs
