// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"

#include <catch2/catch.hpp>

namespace chartwright::base {
namespace {

TEST_CASE("Hexadecimal digits of either case have a value, their neighbours none") {
  CHECK(hex_digit_value('0') == 0);
  CHECK(hex_digit_value('9') == 9);
  CHECK(hex_digit_value('a') == 10);
  CHECK(hex_digit_value('F') == 15);
  for (const char c : {'/', ':', '@', 'G', '`', 'g', '\0', '\xc1', '\x10'}) {
    CHECK(hex_digit_value(c) == -1);
  }
  CHECK(hex_digit_value(U'\uFF11') == -1);  // A full-width digit.
}

TEST_CASE("Only ASCII capitals have another lower-case form") {
  CHECK(to_ascii_lower('A') == 'a');
  CHECK(to_ascii_lower('Z') == 'z');
  for (const char c : {'@', '[', 'a', '0', '\xc1'}) {
    CHECK(to_ascii_lower(c) == c);
  }
}

TEST_CASE("8 and 9 are no octal digits") {
  CHECK(is_ascii_octal_digit('0'));
  CHECK(is_ascii_octal_digit('7'));
  CHECK_FALSE(is_ascii_octal_digit('8'));
  CHECK_FALSE(is_ascii_octal_digit('/'));
}

}  // namespace
}  // namespace chartwright::base
