// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/decimal.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

namespace chartwright::helm::funcs {
namespace {

using Limits = std::numeric_limits<double>;

Decimal decimal(double d) { return CW_MUST(Decimal::from_double(d)); }

// Returns the result of applying an operation `times` times, or its error.
base::Result<double> repeated(
    double first, double operand, int times,
    const std::function<base::Result<Decimal>(const Decimal&, const Decimal&)>& apply) {
  Decimal result = decimal(first);
  for (int i = 0; i < times; ++i) {
    CW_TRY(result, apply(result, decimal(operand)));
  }
  return result.to_double();
}

base::Result<Decimal> times(const Decimal& a, const Decimal& b) { return a.times(b); }
base::Result<Decimal> over(const Decimal& a, const Decimal& b) { return a.divided_by(b); }

}  // namespace

TEST_CASE("A double's decimal reads back as the double") {
  for (const double d : {0.0, 0.1, 1.0, 123456789.0, 1e22, 1e23, Limits::max(), Limits::min(),
                         Limits::denorm_min(), 9007199254740993.0}) {
    INFO(d);
    CHECK(CW_MUST(decimal(d).to_double()) == d);
    CHECK(CW_MUST(decimal(-d).to_double()) == -d);
  }
}

TEST_CASE("The extremes of doubles can be computed with") {
  const Decimal most = decimal(Limits::max());
  const Decimal least = decimal(Limits::denorm_min());
  CHECK(CW_MUST(CW_MUST(most.plus(least)).to_double()) == Limits::max());
  CHECK(CW_MUST(CW_MUST(least.minus(most)).to_double()) == -Limits::max());
  CHECK(CW_MUST(CW_MUST(most.times(most)).to_double()) == Limits::infinity());
  CHECK(CW_MUST(CW_MUST(least.times(least)).to_double()) == 0);
  CHECK(CW_MUST(CW_MUST(most.divided_by(least)).to_double()) == Limits::infinity());
  CHECK(CW_MUST(CW_MUST(least.divided_by(most)).to_double()) == 0);
}

TEST_CASE("Numbers grow to some 100,000 digits and no further") {
  CHECK(CW_MUST(repeated(1, 1.2345678901234567, 6'000, times)) > 1);
  CHECK(CW_MUST(repeated(1, 1e-308, 300, over)) == Limits::infinity());
  for (const auto& grown :
       {repeated(1, 1.2345678901234567, 7'000, times), repeated(1, 1e-308, 400, over)}) {
    REQUIRE_FALSE(grown.ok());
    CHECK(grown.error().code() == base::ErrorCode::kBudget);
    CHECK(grown.error().message() == "a decimal number of more than 100000 digits");
  }
}

TEST_CASE("Text that is not a number has no decimal") {
  for (const double d : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    CHECK_FALSE(Decimal::from_double(d).ok());
  }
}

}  // namespace chartwright::helm::funcs
