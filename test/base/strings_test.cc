// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace chartwright::base {
namespace {

using Pieces = std::vector<std::string_view>;

TEST_CASE("A byte is encoded with two upper-case digits") {
  std::string out = "a";
  append_percent_encoded(out, '\n');
  append_percent_encoded(out, '\xfe');
  CHECK(out == "a%0A%FE");
}

TEST_CASE("Text is split at every separator") {
  CHECK(split("", ',') == Pieces{""});
  CHECK(split("a", ',') == Pieces{"a"});
  CHECK(split(",a,,b,", ',') == Pieces{"", "a", "", "b", ""});
}

TEST_CASE("Parts are joined") {
  CHECK(join({}, ", ").empty());
  CHECK(join({"a"}, ", ") == "a");
  CHECK(join({"a", "", "b"}, ", ") == "a, , b");
}

TEST_CASE("White space is trimmed at both ends only") {
  CHECK(trim("").empty());
  CHECK(trim(" \t\r\n\v\f").empty());
  CHECK(trim("\n a b\t") == "a b");
  CHECK(trim("\xc2\xa0\xe2\x80\x83x y\xe3\x80\x80\xe2\x80\xa8") == "x y");
  CHECK(trim("\xe2\x80\x8bx\xa0") == "\xe2\x80\x8bx\xa0");  // Not white space, and not UTF-8.
}

TEST_CASE("Only a text of digits is one of digits") {
  CHECK(is_all_digits("0123456789"));
  CHECK_FALSE(is_all_digits(""));
  CHECK_FALSE(is_all_digits("1 "));
  CHECK_FALSE(is_all_digits("-1"));
}

// As Go's time.ParseDuration quotes a duration that it refuses.
TEST_CASE("Bytes outside printable ASCII are quoted in hex") {
  CHECK(quote_bytes("1\xC2\xB5\"\\\n") == R"("1\xc2\xb5\"\\\x0a")");
}

TEST_CASE("Only ASCII letters are lowered") {
  CHECK(to_lower_ascii("AbZ09\xc3\x89@[") == "abz09\xc3\x89@[");
}

TEST_CASE("Integers are read whole or not at all") {
  CHECK(parse_int("0") == 0);
  CHECK(parse_int("+5") == 5);
  CHECK(parse_int("-007") == -7);
  CHECK(parse_int("9223372036854775807") == std::numeric_limits<int64_t>::max());
  CHECK(parse_int("-9223372036854775808") == std::numeric_limits<int64_t>::min());
  const std::string wrong =
      GENERATE("", "+", "-", "+-5", "++5", "--5", " 5", "5 ", "5x", "x", "0x10", "1.0", "1e3",
               "9223372036854775808", "-9223372036854775809");
  CAPTURE(wrong);
  CHECK_FALSE(parse_int(wrong).has_value());
}

TEST_CASE("Doubles are read whole or not at all") {
  CHECK(parse_double("0") == 0.0);
  CHECK(parse_double("+1.5") == 1.5);
  CHECK(parse_double("-2e3") == -2000.0);
  CHECK(parse_double(".5") == 0.5);
  CHECK(parse_double("5.") == 5.0);
  CHECK(parse_double("0x1.8p1") == 3.0);
  CHECK(parse_double("-0x10") == -16.0);
  CHECK(std::isinf(*parse_double("-inf")));
  CHECK(std::signbit(*parse_double("-0")));
  const std::string wrong = GENERATE("", "+", "-", ".", "e5", "1e", "1.5x", " 1", "1 ", "nan", "0x",
                                     "0x-1", "+-1", "1,5", "1e999", "--1", "-0x-1");
  CAPTURE(wrong);
  CHECK_FALSE(parse_double(wrong).has_value());
}

TEST_CASE("Every occurrence is replaced, once") {
  CHECK(replace_all("", "a", "b").empty());
  CHECK(replace_all("aXaXa", "X", "--") == "a--a--a");
  CHECK(replace_all("aaa", "aa", "a") == "aa");
  CHECK(replace_all("abc", "x", "y") == "abc");
  CHECK(replace_all("aa", "a", "aa") == "aaaa");
}

TEST_CASE("The nearest candidate is found, if it is near enough") {
  const Pieces keys = {"chart", "group", "kind", "version"};
  CHECK(nearest("chrat", keys) == "chart");
  CHECK(nearest("tga", {"a", "tag"}) == "tag");
  CHECK(nearest("trahc", keys).empty());
  CHECK(nearest("chrt", keys) == "chart");
  CHECK(nearest("verzion", keys) == "version");
  CHECK(nearest("kin", keys) == "kind");
  CHECK(nearest("chart", keys) == "chart");
  CHECK(nearest("namespace", keys).empty());
  CHECK(nearest("", keys).empty());
  CHECK(nearest("x", {}).empty());
  CHECK(nearest(std::string(100'000, 'a'), {std::string_view("a")}).empty());
}

}  // namespace
}  // namespace chartwright::base
