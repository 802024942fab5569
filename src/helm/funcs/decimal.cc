// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/decimal.h"

#include <openssl/bn.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/openssl_error.h"
#include "base/strings.h"
#include "go/format_float.h"

namespace chartwright::helm::funcs {
namespace {

constexpr int64_t kDivisionDigits = 16;
// Maximum size of a coefficient in bits. An operation takes time linear in the size, converting to
// digits quadratic time.
constexpr int kBitsMax = 340'000;

base::Error not_a_decimal(double d) {
  return base::Error(base::ErrorCode::kTemplate,
                     "Cannot create a Decimal from " + go::format_float(d, 'g', -1));
}

// The number digits x 10^exponent, from the shortest form of std::to_chars: at most 17 digits.
struct Shortest {
  uint64_t digits = 0;
  int64_t exponent = 0;
};

Shortest shortest_of(double magnitude) {
  char buffer[64];
  const auto end =
      std::to_chars(std::begin(buffer), std::end(buffer), magnitude, std::chars_format::scientific)
          .ptr;
  const std::string text(std::begin(buffer), end);
  const size_t e = text.find('e');
  Shortest out;
  out.exponent = base::parse_int(std::string_view(text).substr(e + 1)).value_or(0);
  bool is_fraction = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') {
      is_fraction = true;
    } else {
      out.digits = 10 * out.digits + static_cast<uint64_t>(c - '0');
      out.exponent -= is_fraction ? 1 : 0;
    }
  }
  return out;
}

}  // namespace

void Decimal::Free::operator()(bignum_st* n) const { BN_free(n); }

Decimal::Decimal(Big coefficient, int64_t exponent)
    : coefficient_(std::move(coefficient)), exponent_(exponent) {}
Decimal::Decimal(Decimal&& other) noexcept = default;
Decimal& Decimal::operator=(Decimal&& other) noexcept = default;
Decimal::~Decimal() = default;

base::Result<Decimal> Decimal::make(Big coefficient, int64_t exponent) {
  if (BN_num_bits(coefficient.get()) > kBitsMax) {
    return base::Error(base::ErrorCode::kBudget, "a decimal number of more than 100000 digits");
  }
  return Decimal(std::move(coefficient), exponent);
}

base::Result<Decimal::Big> Decimal::new_big() {
  Big big(BN_new());
  return big != nullptr ? base::Result<Big>(std::move(big)) : base::openssl_error("BN_new");
}

base::Result<Decimal> Decimal::from_double(double d) {
  if (!std::isfinite(d)) {
    return not_a_decimal(d);
  }
  const Shortest shortest = shortest_of(std::abs(d));
  CW_TRY(Big coefficient, new_big());
  BIGNUM* const n = coefficient.get();
  CW_TRY_OPENSSL(BN_set_word(n, shortest.digits));
  BN_set_negative(n, d < 0 ? 1 : 0);
  return Decimal(std::move(coefficient), d == 0 ? 0 : shortest.exponent);
}

base::Result<Decimal::Big> Decimal::scaled_to(int64_t exponent) const {
  CW_TRY_OPENSSL_NEW(const auto ctx, BN_CTX_free, BN_CTX_new());
  CW_TRY(Big factor, new_big());
  CW_TRY(const Big power, new_big());
  CW_TRY_OPENSSL(BN_set_word(factor.get(), 10));
  CW_TRY_OPENSSL(BN_set_word(power.get(), static_cast<BN_ULONG>(exponent_ - exponent)));
  CW_TRY_OPENSSL(BN_exp(factor.get(), factor.get(), power.get(), ctx.get()));
  CW_TRY_OPENSSL(BN_mul(factor.get(), factor.get(), coefficient_.get(), ctx.get()));
  return factor;
}

base::Result<Decimal> Decimal::plus(const Decimal& other) const {
  const int64_t exponent = std::min(exponent_, other.exponent_);
  CW_TRY(Big sum, scaled_to(exponent));
  CW_TRY(const Big addend, other.scaled_to(exponent));
  CW_TRY_OPENSSL(BN_add(sum.get(), sum.get(), addend.get()));
  return make(std::move(sum), exponent);
}

base::Result<Decimal> Decimal::minus(const Decimal& other) const {
  const int64_t exponent = std::min(exponent_, other.exponent_);
  CW_TRY(Big difference, scaled_to(exponent));
  CW_TRY(const Big subtrahend, other.scaled_to(exponent));
  CW_TRY_OPENSSL(BN_sub(difference.get(), difference.get(), subtrahend.get()));
  return make(std::move(difference), exponent);
}

base::Result<Decimal> Decimal::times(const Decimal& other) const {
  CW_TRY_OPENSSL_NEW(const auto ctx, BN_CTX_free, BN_CTX_new());
  CW_TRY(Big product, new_big());
  CW_TRY_OPENSSL(BN_mul(product.get(), coefficient_.get(), other.coefficient_.get(), ctx.get()));
  return make(std::move(product), exponent_ + other.exponent_);
}

base::Result<Decimal> Decimal::divided_by(const Decimal& other) const {
  if (BN_is_zero(other.coefficient_.get()) != 0) {
    return base::Error(base::ErrorCode::kTemplate, "decimal division by 0");
  }
  // Compute quotient x 10^-digits = numerator / denominator with integers at a common exponent.
  const int64_t exponent = std::min(exponent_, other.exponent_ - kDivisionDigits);
  CW_TRY(const Big numerator, scaled_to(exponent));
  CW_TRY(const Big denominator, other.scaled_to(exponent + kDivisionDigits));
  CW_TRY_OPENSSL_NEW(const auto ctx, BN_CTX_free, BN_CTX_new());
  CW_TRY(Big quotient, new_big());
  CW_TRY(const Big remainder, new_big());
  CW_TRY_OPENSSL(
      BN_div(quotient.get(), remainder.get(), numerator.get(), denominator.get(), ctx.get()));
  CW_TRY_OPENSSL(BN_lshift1(remainder.get(), remainder.get()));
  const bool negative = BN_is_negative(numerator.get()) != BN_is_negative(denominator.get());
  if (BN_ucmp(remainder.get(), denominator.get()) >= 0) {
    const auto away_from_zero = negative ? BN_sub_word : BN_add_word;
    CW_TRY_OPENSSL(away_from_zero(quotient.get(), 1));
  }
  return make(std::move(quotient), -kDivisionDigits);
}

base::Result<double> Decimal::to_double() const {
  char* const digits = BN_bn2dec(coefficient_.get());
  if (digits == nullptr) {
    return base::openssl_error("BN_bn2dec");
  }
  const std::string text = digits + ("e" + std::to_string(exponent_));
  OPENSSL_free(digits);
  double d = 0;
  const auto code = std::from_chars(text.data(), text.data() + text.size(), d).ec;
  // Out of range: strtod distinguishes overflow from underflow.
  return code == std::errc() ? d : std::strtod(text.c_str(), nullptr);
}

}  // namespace chartwright::helm::funcs
