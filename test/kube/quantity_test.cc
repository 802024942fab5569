// SPDX-License-Identifier: Apache-2.0
#include "kube/quantity.h"

#include <catch2/catch.hpp>

#include "test/base/answer_file.h"

namespace chartwright::kube {
namespace {

using base::Answer;
using base::ErrorCode;
using base::read_answers;
using base::Result;

Quantity quantity(std::string_view text) { return CW_MUST(Quantity::parse(text)); }

TEST_CASE("Quantities are read, refused and written as Kubernetes does") {
  for (const Answer& answer : read_answers("value/quantities.txt")) {
    CAPTURE(answer.input);
    const Result<Quantity> parsed = Quantity::parse(answer.input);
    if (answer.ok) {
      REQUIRE(parsed.ok());
      CHECK(parsed->to_string() == answer.text);
    } else {
      REQUIRE_FALSE(parsed.ok());
      CHECK(parsed.error().code() == ErrorCode::kParse);
      CHECK(parsed.error().message() == answer.text);
    }
  }
}

TEST_CASE("Quantities are ordered as Kubernetes does") {
  const std::vector<Answer> rows = read_answers("value/quantity_order.txt");
  for (const Answer& row : rows) {
    REQUIRE(row.text.size() == rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(row.input, rows[i].input);
      const auto order = quantity(row.input) <=> quantity(rows[i].input);
      CHECK((order < 0) == (row.text[i] == '<'));
      CHECK((order > 0) == (row.text[i] == '>'));
      CHECK((quantity(row.input) == quantity(rows[i].input)) == (row.text[i] == '='));
    }
  }
}

TEST_CASE("Exponents of any size cost nothing") {
  CHECK(quantity("1e2147483647") > quantity("9Ei"));
  CHECK(quantity("1e2147483646").to_string() == "1e2147483646");
  CHECK(quantity("1e-2147483648") == quantity("1n"));
  CHECK(quantity("-1e-2147483648") == quantity("-1n"));
  CHECK(Quantity::parse("1e2147483648").error().message() == "unable to parse quantity's suffix");
  CHECK(Quantity::parse("1e4294967296").error().code() == ErrorCode::kParse);
}

TEST_CASE("A decimal number past the largest suffix keeps its factor") {
  CHECK(quantity("1000E").to_string() == "1e21");
  CHECK(quantity("1000E") == quantity("1e21"));
}

TEST_CASE("A reread canonical form is the same number") {
  for (const Answer& answer : read_answers("value/quantities.txt")) {
    if (answer.ok) {
      CAPTURE(answer.input);
      const Quantity parsed = quantity(answer.input);
      CHECK(quantity(parsed.to_string()) == parsed);
    }
  }
}

TEST_CASE("Long numbers are exact, too long ones refused") {
  const std::string nines(Quantity::kMaxBytes - 2, '9');
  CHECK(quantity(nines + "1") > quantity(nines + "0"));
  CHECK(Quantity::parse(nines + "999").error().code() == ErrorCode::kBudget);
}

TEST_CASE("Zero has no sign") {
  CHECK(quantity("-0").is_zero());
  CHECK_FALSE(quantity("-0").is_negative());
  CHECK(quantity("-1m").is_negative());
  CHECK(Quantity().to_string() == "0");
}

TEST_CASE("A field holds a quantity as text or as a number") {
  CHECK(CW_MUST(Quantity::from_value(value::Value::string(" 2Gi\n"))) == quantity("2Gi"));
  CHECK(CW_MUST(Quantity::from_value(value::Value::integer(1024))) == quantity("1Ki"));
  CHECK(CW_MUST(Quantity::from_value(value::Value::number(0.5))) == quantity("500m"));
  CHECK(CW_MUST(Quantity::from_value(value::Value::number(1e21))) == quantity("1e21"));
  CHECK_FALSE(Quantity::from_value(value::Value::string("2 Gi")).ok());
  CHECK_FALSE(
      Quantity::from_value(value::Value::number(std::numeric_limits<double>::infinity())).ok());
  CHECK(Quantity::from_value(value::Value()).error().message() ==
        "a quantity must be a string or a number");
}

}  // namespace
}  // namespace chartwright::kube
