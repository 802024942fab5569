// SPDX-License-Identifier: Apache-2.0
#include "bundle/cel.h"

#include <catch2/catch.hpp>

namespace chartwright::bundle {

using value::Value;

TEST_CASE("Names that CEL cannot have are escaped") {
  CHECK(cel_name("a-b") == "a__dash__b");
  CHECK(cel_name("a.b/c") == "a__dot__b__slash__c");
  CHECK(cel_name("__x") == "__underscores__x");
  CHECK(cel_name("_x_") == "_x_");
  CHECK(cel_name("in") == "__in__");
  CHECK(cel_name("while") == "__while__");
  CHECK(cel_name("size") == "size");
  CHECK_FALSE(cel_name("").has_value());
  CHECK_FALSE(cel_name("1st").has_value());
  CHECK_FALSE(cel_name("x y").has_value());
  CHECK_FALSE(cel_name("\xc3\xa9").has_value());
}

TEST_CASE("Literals have the type of the field") {
  CHECK(cel_literal(Value::string("a\"\\\n'")) == R"("a\"\\\n'")");
  CHECK(cel_literal(Value::integer(5)) == "5");
  CHECK(cel_literal(Value::integer(5), true) == "5.0");
  CHECK(cel_literal(Value::number(2.5), true) == "2.5");
}

TEST_CASE("Conditions fold what is known") {
  const Cel x = Cel::expression("x", 1);
  const Cel y = Cel::expression("y == 1", 2, Cel::Form::kComparison);
  const Cel yes = Cel::constant(true);
  const Cel no = Cel::constant(false);
  CHECK(all_of({x, yes}).text() == "x");
  CHECK(all_of({x, no}).is(false));
  CHECK(any_of({x, yes}).is(true));
  CHECK(all_of({any_of({x, y}), y}).text() == "(x || y == 1) && y == 1");
  CHECK(negated(negated(x)).text() == "x");
  CHECK(negated(y).text() == "!(y == 1)");
  CHECK(exactly_one_of({no, yes}).is(true));
  CHECK(exactly_one_of({yes, yes, x}).is(false));
  CHECK(exactly_one_of({yes, x}).text() == "!x");
  CHECK(exactly_one_of({x, y, no}).text() == "(x ? 1 : 0) + (y == 1 ? 1 : 0) == 1");
  CHECK(any_of({x, y}).cost() > 3);
}

}  // namespace chartwright::bundle
