// SPDX-License-Identifier: Apache-2.0
#include "go/number_text.h"

#include <catch2/catch.hpp>
#include <utility>

// Expected values are those of Go's strconv (atoi.go, and atoi_test.go's underscoreTests).
namespace chartwright::go {
namespace {

std::pair<int, std::string_view> split(std::string_view digits) {
  const int base = take_base_prefix(digits);
  return {base, digits};
}

TEST_CASE("A prefix gives the base of a literal") {
  CHECK(split("17") == std::pair(10, std::string_view("17")));
  CHECK(split("0x1F") == std::pair(16, std::string_view("1F")));
  CHECK(split("0X1F") == std::pair(16, std::string_view("1F")));
  CHECK(split("0o17") == std::pair(8, std::string_view("17")));
  CHECK(split("0B11") == std::pair(2, std::string_view("11")));
  CHECK(split("017") == std::pair(8, std::string_view("17")));
  CHECK(split("0") == std::pair(8, std::string_view("0")));
}

TEST_CASE("A prefix without digits is not one: x is then a wrong digit") {
  CHECK(split("0x") == std::pair(8, std::string_view("x")));
  CHECK(split("") == std::pair(10, std::string_view("")));
}

TEST_CASE("Underscores stand between digits, or after a prefix") {
  CHECK(has_proper_underscores("1_2_3"));
  CHECK(has_proper_underscores("-0x_1_2_a_F"));
  CHECK(has_proper_underscores("0_8"));
  CHECK(has_proper_underscores("0b_10"));
  CHECK(has_proper_underscores("1e1_0"));
  CHECK_FALSE(has_proper_underscores("_1"));
  CHECK_FALSE(has_proper_underscores("1_"));
  CHECK_FALSE(has_proper_underscores("1__2"));
  CHECK_FALSE(has_proper_underscores("1_e10"));
  CHECK_FALSE(has_proper_underscores("0x1_.8p1"));
  CHECK_FALSE(has_proper_underscores("+_0x1"));
}

TEST_CASE("Underscores are taken out") { CHECK(without_underscores("_1__2_") == "12"); }

}  // namespace
}  // namespace chartwright::go
