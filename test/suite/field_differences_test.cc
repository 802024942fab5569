// SPDX-License-Identifier: Apache-2.0
#include "suite/field_differences.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "suite/typed_yaml.h"
#include "value/value.h"

namespace chartwright::suite {
namespace {

using Texts = std::vector<std::string>;

value::Value from_yaml(std::string_view text) { return CW_MUST(parse_typed_yaml(text)); }

Texts lines_between(std::string_view expected, std::string_view actual) {
  return field_lines("H", field_differences(from_yaml(expected), from_yaml(actual)));
}

TEST_CASE("Fields that differ have a line each") {
  CHECK(lines_between("a: 1\nb: {c: x, d: 2}\n", "b: {c: y, d: 2}\nz: [1]\n") ==
        Texts{"H", "\ta: expected 1, missing", "\tb.c: expected \"x\", actual \"y\"",
              "\tz: not expected, actual [1]"});
  CHECK(lines_between("a: 1\n", "a: 1\n").empty());
}

TEST_CASE("Numbers of two types are distinguished") {
  CHECK(lines_between("a: 1\n", "a: 1.0\n") ==
        Texts{"H", "\ta: expected 1 (int), actual 1 (float64)"});
}

TEST_CASE("Values without fields in common have no lines") {
  CHECK(lines_between("1\n", "2\n").empty());
  CHECK(lines_between("a: 1\n", "[1]\n").empty());
  CHECK(lines_between("[1]\n", "[2]\n").empty());
}

TEST_CASE("Of many fields there are the first, and the number of the others") {
  std::string expected;
  for (int i = 0; i < 30; ++i) {
    expected += "k" + std::to_string(i) + ": 1\n";
  }
  const Texts lines = lines_between(expected, "x: 1\n");
  REQUIRE(lines.size() == kFieldsMax + 2);
  CHECK(lines.back() == "\t... and 11 more");
}

TEST_CASE("A map is narrowed to the members of another one") {
  const value::Value narrow =
      narrowed(from_yaml("a: 1\nb: 2\n"), from_yaml("a: 0\nc: null\nd: 1\n"));
  CHECK(field_differences(from_yaml("a: 1\nc: null\n"), narrow).kept.empty());
}

TEST_CASE("The nearest item has the fewest differences, and something in common") {
  const auto items = from_yaml("- {a: 1, b: 1}\n- {a: 1, b: 2, c: 3}\n- 5\n").as_list().items;
  const auto nearest = nearest_item(items, from_yaml("{a: 1, b: 2}\n"), Members::kAll);
  REQUIRE(nearest);
  CHECK(nearest->index == 0);
  const auto within = nearest_item(items, from_yaml("{a: 1, b: 2, d: 4}\n"), Members::kExpected);
  REQUIRE(within);
  CHECK(within->index == 1);
  CHECK_FALSE(nearest_item(items, from_yaml("{a: 7}\n"), Members::kAll));
  CHECK_FALSE(nearest_item(items, from_yaml("5\n"), Members::kAll));
}

}  // namespace
}  // namespace chartwright::suite
