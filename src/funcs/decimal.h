// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"

struct bignum_st;  // OpenSSL's BIGNUM

namespace chartwright::funcs {

/// An exact decimal number: coefficient x 10^exponent with an unbounded coefficient. Immutable but
/// for assignment. Source: shopspring/decimal v1.4.0 decimal.go.
class Decimal {
 public:
  /// The shortest decimal that reads back as `d`.
  /// Error: kTemplate `Cannot create a Decimal from NaN` (or +Inf, -Inf).
  static base::Result<Decimal> from_double(double d);

  Decimal(Decimal&& other) noexcept;
  Decimal& operator=(Decimal&& other) noexcept;
  ~Decimal();

  Decimal plus(const Decimal& other) const;
  Decimal minus(const Decimal& other) const;
  Decimal times(const Decimal& other) const;
  /// Rounded half away from zero to 16 digits after the point.
  /// Error: kTemplate `decimal division by 0`.
  base::Result<Decimal> divided_by(const Decimal& other) const;

  /// The nearest double; infinite where none is near.
  double to_double() const;

 private:
  struct Free {
    void operator()(bignum_st* n) const;
  };
  using Big = std::unique_ptr<bignum_st, Free>;
  Decimal(Big coefficient, int64_t exponent);
  /// The coefficient that goes with `exponent`, which is not above the own one.
  Big scaled_to(int64_t exponent) const;

  Big coefficient_;
  int64_t exponent_;
};

}  // namespace chartwright::funcs
