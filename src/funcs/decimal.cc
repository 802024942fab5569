// SPDX-License-Identifier: Apache-2.0
#include "funcs/decimal.h"

#include <openssl/bn.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>

#include "base/check.h"
#include "base/strings.h"

namespace chartwright::funcs {
namespace {

constexpr int64_t kDivisionDigits = 16;

struct FreeContext {
  void operator()(BN_CTX* ctx) const { BN_CTX_free(ctx); }
};
using Context = std::unique_ptr<BN_CTX, FreeContext>;

Context new_context() {
  Context ctx(BN_CTX_new());
  CW_CHECK(ctx != nullptr);
  return ctx;
}

base::Error not_a_decimal(double d) {
  const std::string text = std::isnan(d) ? "NaN" : (d > 0 ? "+Inf" : "-Inf");
  return base::Error(base::ErrorCode::kTemplate, "Cannot create a Decimal from " + text);
}

// digits x 10^exponent, as std::to_chars finds the shortest form.
struct Shortest {
  std::string digits;
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
  for (char c : text.substr(0, e)) {
    if (c != '.') {
      out.digits += c;
    }
  }
  const int64_t exponent = base::parse_int(std::string_view(text).substr(e + 1)).value_or(0);
  out.exponent = exponent - static_cast<int64_t>(out.digits.size() - 1);
  return out;
}

}  // namespace

void Decimal::Free::operator()(bignum_st* n) const { BN_free(n); }

Decimal::Decimal(Big coefficient, int64_t exponent)
    : coefficient_(std::move(coefficient)), exponent_(exponent) {
  CW_CHECK(coefficient_ != nullptr);
}
Decimal::Decimal(Decimal&& other) noexcept = default;
Decimal& Decimal::operator=(Decimal&& other) noexcept = default;
Decimal::~Decimal() = default;

base::Result<Decimal> Decimal::from_double(double d) {
  if (!std::isfinite(d)) {
    return not_a_decimal(d);
  }
  const Shortest shortest = shortest_of(std::abs(d));
  BIGNUM* n = nullptr;
  CW_CHECK(BN_dec2bn(&n, shortest.digits.c_str()) > 0);
  BN_set_negative(n, d < 0 ? 1 : 0);
  return Decimal(Big(n), d == 0 ? 0 : shortest.exponent);
}

Decimal::Big Decimal::scaled_to(int64_t exponent) const {
  const Context ctx = new_context();
  Big factor(BN_new());
  Big power(BN_new());
  CW_CHECK(factor != nullptr && power != nullptr && exponent <= exponent_);
  CW_CHECK(BN_set_word(factor.get(), 10) == 1);
  CW_CHECK(BN_set_word(power.get(), static_cast<BN_ULONG>(exponent_ - exponent)) == 1);
  CW_CHECK(BN_exp(factor.get(), factor.get(), power.get(), ctx.get()) == 1);
  CW_CHECK(BN_mul(factor.get(), factor.get(), coefficient_.get(), ctx.get()) == 1);
  return factor;
}

Decimal Decimal::plus(const Decimal& other) const {
  const int64_t exponent = std::min(exponent_, other.exponent_);
  Big sum = scaled_to(exponent);
  CW_CHECK(BN_add(sum.get(), sum.get(), other.scaled_to(exponent).get()) == 1);
  return Decimal(std::move(sum), exponent);
}

Decimal Decimal::minus(const Decimal& other) const {
  const int64_t exponent = std::min(exponent_, other.exponent_);
  Big difference = scaled_to(exponent);
  CW_CHECK(BN_sub(difference.get(), difference.get(), other.scaled_to(exponent).get()) == 1);
  return Decimal(std::move(difference), exponent);
}

Decimal Decimal::times(const Decimal& other) const {
  const Context ctx = new_context();
  Big product(BN_new());
  CW_CHECK(product != nullptr);
  CW_CHECK(BN_mul(product.get(), coefficient_.get(), other.coefficient_.get(), ctx.get()) == 1);
  return Decimal(std::move(product), exponent_ + other.exponent_);
}

base::Result<Decimal> Decimal::divided_by(const Decimal& other) const {
  if (BN_is_zero(other.coefficient_.get()) != 0) {
    return base::Error(base::ErrorCode::kTemplate, "decimal division by 0");
  }
  // quotient x 10^-digits = numerator / denominator, both whole at a common exponent.
  const int64_t exponent = std::min(exponent_, other.exponent_ - kDivisionDigits);
  const Big numerator = scaled_to(exponent);
  const Big denominator = other.scaled_to(exponent + kDivisionDigits);
  const Context ctx = new_context();
  Big quotient(BN_new());
  Big remainder(BN_new());
  CW_CHECK(quotient != nullptr && remainder != nullptr);
  CW_CHECK(BN_div(quotient.get(), remainder.get(), numerator.get(), denominator.get(), ctx.get()) ==
           1);
  CW_CHECK(BN_lshift1(remainder.get(), remainder.get()) == 1);
  const bool negative = BN_is_negative(numerator.get()) != BN_is_negative(denominator.get());
  if (BN_ucmp(remainder.get(), denominator.get()) >= 0) {
    CW_CHECK((negative ? BN_sub_word(quotient.get(), 1) : BN_add_word(quotient.get(), 1)) == 1);
  }
  return Decimal(std::move(quotient), -kDivisionDigits);
}

double Decimal::to_double() const {
  char* digits = BN_bn2dec(coefficient_.get());
  CW_CHECK(digits != nullptr);
  const std::string text = digits + ("e" + std::to_string(exponent_));
  OPENSSL_free(digits);
  double d = 0;
  const auto code = std::from_chars(text.data(), text.data() + text.size(), d).ec;
  // Out of range: strtod tells the infinite from the vanishing.
  return code == std::errc() ? d : std::strtod(text.c_str(), nullptr);
}

}  // namespace chartwright::funcs
