// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <catch2/catch.hpp>

namespace chartwright::base {

TEST_CASE("Characters that a terminal would obey are escaped") {
  CHECK(printable("a\033[31mb") == "a\\u001b[31mb");
  CHECK(printable("a\nb\tc\r") == "a\\nb\\tc\\u000d");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\u009b31m");
  CHECK(printable("\xE2\x80\xAE"
                  "x") == "\\u202ex");
  CHECK(printable("ä→") == "ä→");
}

TEST_CASE("Text of several lines keeps them, and what people write") {
  CHECK(printable_lines("a\nb\tc\r") == "a\nb\tc\\u000d");
  CHECK(printable_lines("\x1b[2J\x1b]0;title\x07") == "\\u001b[2J\\u001b]0;title\\u0007");
  CHECK(printable_lines("\xC2\x9B"
                        "31m\x7f") == "\\u009b31m\\u007f");
  CHECK(printable_lines("\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\xA8") == "\\u202e\\u2066\\u2028");
  const std::string text = "\xE5\x90\x8D\xE3\x80\x80\xE5\x89\x8D ä→";  // With an ideographic space.
  CHECK(printable_lines(text) == text);
  CHECK(printable_lines("a\xff") == "a\xEF\xBF\xBD");
}

}  // namespace chartwright::base
