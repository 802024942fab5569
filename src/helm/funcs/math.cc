// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <string>

#include "go/format.h"
#include "helm/funcs/cast.h"
#include "helm/funcs/decimal.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"

// Source: Masterminds/sprig v3.3.0 numeric.go and the arithmetic functions of functions.go.
namespace chartwright::helm::funcs {
namespace {

GoInt to_int(const Value& v) { return {to_int64(v)}; }
GoInt atoi(std::string_view s) { return {parse_int(s, 10).value}; }

Result<int64_t> to_decimal(CallContext& ctx, const Value& v) {
  CW_TRY(const std::string text, go::format_value_within(ctx.budget, v));
  const ParsedInt parsed = parse_int(text, 8);
  return parsed.ok ? parsed.value : 0;
}

// Go's integers wrap around on overflow, which is undefined for signed integers in C++.
int64_t wrapping(uint64_t i) { return static_cast<int64_t>(i); }
uint64_t bits(int64_t i) { return static_cast<uint64_t>(i); }

int64_t add1(const Value& v) { return wrapping(bits(to_int64(v)) + 1); }

int64_t add(AnyRest values) {
  uint64_t sum = 0;
  for (const Value& v : values.values()) {
    sum += bits(to_int64(v));
  }
  return wrapping(sum);
}

int64_t sub(const Value& a, const Value& b) {
  return wrapping(bits(to_int64(a)) - bits(to_int64(b)));
}

int64_t mul(const Value& first, AnyRest values) {
  uint64_t product = bits(to_int64(first));
  for (const Value& v : values.values()) {
    product *= bits(to_int64(v));
  }
  return wrapping(product);
}

base::Error division_by_zero() { return failure("runtime error: integer divide by zero"); }

Result<int64_t> div(const Value& a, const Value& b) {
  const int64_t divisor = to_int64(b);
  if (divisor == 0) {
    return division_by_zero();
  }
  return divisor == -1 ? wrapping(0 - bits(to_int64(a))) : to_int64(a) / divisor;
}

Result<int64_t> mod(const Value& a, const Value& b) {
  const int64_t divisor = to_int64(b);
  if (divisor == 0) {
    return division_by_zero();
  }
  return divisor == -1 ? 0 : to_int64(a) % divisor;
}

int64_t max(const Value& first, AnyRest values) {
  int64_t best = to_int64(first);
  for (const Value& v : values.values()) {
    best = std::max(best, to_int64(v));
  }
  return best;
}

int64_t min(const Value& first, AnyRest values) {
  int64_t best = to_int64(first);
  for (const Value& v : values.values()) {
    best = std::min(best, to_int64(v));
  }
  return best;
}

// Go's math.Max and math.Min: NaN takes precedence over any other number except +Inf for Max and
// -Inf for Min, and -0 is less than 0.
double larger(double a, double b) {
  if (a == std::numeric_limits<double>::infinity() ||
      b == std::numeric_limits<double>::infinity()) {
    return std::numeric_limits<double>::infinity();
  }
  if (std::isnan(a) || std::isnan(b)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (a == 0 && b == 0) {
    return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

double smaller(double a, double b) { return -larger(-a, -b); }

double maxf(const Value& first, AnyRest values) {
  double best = to_float64(first);
  for (const Value& v : values.values()) {
    best = larger(best, to_float64(v));
  }
  return best;
}

double minf(const Value& first, AnyRest values) {
  double best = to_float64(first);
  for (const Value& v : values.values()) {
    best = smaller(best, to_float64(v));
  }
  return best;
}

double floor(const Value& v) { return std::floor(to_float64(v)); }
double ceil(const Value& v) { return std::ceil(to_float64(v)); }

// Computes 10^places like Go's math.Pow, by squaring with a separate binary exponent: above 10^22
// the C library may round differently.
double power_of_ten(int64_t places) {
  if (places == 0) {
    return 1;
  }
  if (places == 1) {
    return 10;
  }
  const double exponent = std::abs(static_cast<double>(places));
  if (exponent >= 9223372036854775808.0) {
    return places > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  int square_exponent = 0;
  double square = std::frexp(10.0, &square_exponent);
  double mantissa = 1;
  int binary = 0;
  for (auto rest = static_cast<int64_t>(exponent); rest != 0; rest >>= 1) {
    if (square_exponent > 4096) {
      binary += square_exponent;
      break;
    }
    if ((rest & 1) == 1) {
      mantissa *= square;
      binary += square_exponent;
    }
    square *= square;
    square_exponent *= 2;
    if (square < 0.5) {
      square += square;
      --square_exponent;
    }
  }
  return places < 0 ? std::ldexp(1 / mantissa, -binary) : std::ldexp(mantissa, binary);
}

double round(const Value& v, int64_t places, Rest<double> round_on) {
  const double threshold = round_on.empty() ? 0.5 : round_on[0];
  const double power = power_of_ten(places);
  const double digit = power * to_float64(v);
  double whole = 0;
  const double fraction =
      std::isinf(digit) ? std::numeric_limits<double>::quiet_NaN() : std::modf(digit, &whole);
  return (fraction >= threshold ? std::ceil(digit) : std::floor(digit)) / power;
}

using Operation = Result<Decimal> (*)(const Decimal&, const Decimal&);

// Evaluates from left to right in exact decimal arithmetic, so that 0.1 + 0.2 is 0.3.
Result<double> fold(double first, AnyRest values, Operation apply) {
  CW_TRY(Decimal result, Decimal::from_double(first));
  for (const Value& v : values.values()) {
    CW_TRY(const Decimal operand, Decimal::from_double(to_float64(v)));
    CW_TRY(result, apply(result, operand));
  }
  return result.to_double();
}

Result<Decimal> plus(const Decimal& a, const Decimal& b) { return a.plus(b); }
Result<Decimal> minus(const Decimal& a, const Decimal& b) { return a.minus(b); }
Result<Decimal> times(const Decimal& a, const Decimal& b) { return a.times(b); }
Result<Decimal> over(const Decimal& a, const Decimal& b) { return a.divided_by(b); }

Result<double> add1f(const Value& v) {
  const Value one = Value::integer(1);
  return fold(to_float64(v), AnyRest(Args(&one, 1)), plus);
}
Result<double> addf(AnyRest values) { return fold(0, values, plus); }
Result<double> subf(const Value& first, AnyRest values) {
  return fold(to_float64(first), values, minus);
}
Result<double> mulf(const Value& first, AnyRest values) {
  return fold(to_float64(first), values, times);
}
Result<double> divf(const Value& first, AnyRest values) {
  return fold(to_float64(first), values, over);
}

}  // namespace

void add_math(Table& table) {
  table.add("int", to_int);
  table.add("int64", to_int64);
  table.add("float64", to_float64);
  table.add("atoi", atoi);
  table.add("toDecimal", to_decimal);
  table.add("add1", add1);
  table.add("add", add);
  table.add("sub", sub);
  table.add("mul", mul);
  table.add("div", div);
  table.add("mod", mod);
  table.add("max", max).alias("biggest");
  table.add("min", min);
  table.add("maxf", maxf);
  table.add("minf", minf);
  table.add("floor", floor);
  table.add("ceil", ceil);
  table.add("round", round);
  table.add("add1f", add1f);
  table.add("addf", addf);
  table.add("subf", subf);
  table.add("mulf", mulf);
  table.add("divf", divf);
}

}  // namespace chartwright::helm::funcs
