// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "yaml/float_text.h"
#include "yaml/json_string.h"
#include "yaml/key_order.h"
#include "yaml/resolve.h"
#include "yaml/scalar_style.h"
#include "yaml/scalar_value.h"
#include "yaml/timestamp.h"
#include "yaml/writer.h"

namespace chartwright::yaml {
namespace {

std::string written(std::string_view text, Style style, int indent) {
  Writer writer;
  writer.set_indent(indent);
  writer.scalar(text, style, Writer::Folding::kFold);
  return writer.take();
}

std::string tag_error(std::string_view tag, std::string_view text) {
  const base::Result<Scalar> scalar =
      resolve_yaml_scalar("tag:yaml.org,2002:" + std::string(tag), text);
  return scalar.ok() ? "no error" : scalar.error().message();
}

}  // namespace

TEST_CASE("Floats print as strconv prints them") {
  CHECK(format_float_g(1e6) == "1e+06");
  CHECK(format_float_g(123456) == "123456");
  CHECK(format_float_g(1234567.5) == "1.2345675e+06");
  CHECK(format_float_g(0.0001) == "0.0001");
  CHECK(format_float_g(0.00001) == "1e-05");
  CHECK(format_float_g(-0.0) == "-0");
  CHECK(format_float_g(5e-324) == "5e-324");
  CHECK(format_float_g(123456789, FloatBits::k32) == "1.2345679e+08");
  CHECK(format_float_g(1e300, FloatBits::k32) == "+Inf");
  CHECK(format_float_g(-std::numeric_limits<double>::infinity()) == "-Inf");
  CHECK(format_float_g(std::nan("")) == "NaN");
  CHECK(format_float_f(9223372036854775808.0) == "9223372036854776000");
  CHECK(format_float_f(1e20) == "100000000000000000000");
  CHECK(format_float_f(1234567.5) == "1234567.5");
  CHECK(format_float_f(0.00001) == "0.00001");
  CHECK(format_float_f(0) == "0");
}

TEST_CASE("Timestamps are those that go-yaml knows") {
  for (const char* text :
       {"2001-01-01", "2001-1-1", "2000-02-29", "2001-1-1T1:2:3Z", "2001-1-1t1:2:3Z",
        "2001-01-01T00:00:00+24:60", "2001-01-01 00:00:00", "2001-01-01   0:0:0",
        "2001-01-01 00:00:00.5", "2001-01-01 00:00:00,5", "2001-1-1T1:2:3.123456789123+07:00"}) {
    INFO(text);
    CHECK(is_yaml_timestamp(text));
  }
  for (const char* text : {"2001-02-29",
                           "1900-02-29",
                           "2001-13-01",
                           "2001-00-01",
                           "2001-01-00",
                           "2001-01-32",
                           "2001-01-01T00:00:00+25:00",
                           "2001-01-01T00:00:00",
                           "2001-01-01 00:00:00.",
                           "2001-01-01 24:00:00",
                           "2001-01-01 00:60:00",
                           "2001-01-01 00:00:60",
                           "2001-01-01 00:00:00Z",
                           "2001-01-01 ",
                           "20010-01-01",
                           "201-01-01",
                           "2001-1-1T1:2:3z",
                           "2001/01/01",
                           "2001-",
                           "2001",
                           ""}) {
    INFO(text);
    CHECK_FALSE(is_yaml_timestamp(text));
  }
}

TEST_CASE("Sexagesimal numbers are recognized") {
  for (const char* text : {"12:30:45", "1:59.5", "-1:2", "+1:2", "1_0:2", "1:2.3_4", "1:2:3:4"}) {
    INFO(text);
    CHECK(is_base60_number(text));
  }
  for (const char* text : {"1:60", "_1:2", "1:", "1:2:", "a:1", "12", ":1", "1:123", ""}) {
    INFO(text);
    CHECK_FALSE(is_base60_number(text));
  }
}

TEST_CASE("Plain scalars have the types of YAML 1.1") {
  CHECK(resolve_plain_scalar("0x1F").integer == 31);
  CHECK(resolve_plain_scalar("-0b101").integer == -5);
  CHECK(resolve_plain_scalar("0b-1").integer == -1);
  CHECK(resolve_plain_scalar("017").integer == 15);
  CHECK(resolve_plain_scalar("-9223372036854775808").integer ==
        std::numeric_limits<int64_t>::min());
  CHECK(resolve_plain_scalar("-9223372036854775809").type == Type::kFloat);
  CHECK(resolve_plain_scalar("18446744073709551615").unsigned_integer ==
        std::numeric_limits<uint64_t>::max());
  CHECK(resolve_plain_scalar("+18446744073709551615").type == Type::kFloat);
  CHECK(resolve_plain_scalar("08").number == 8);
  CHECK(resolve_plain_scalar("1e400").type == Type::kString);
  CHECK(resolve_plain_scalar("1e-400").number == 0);
  CHECK(resolve_plain_scalar("5e-324").number == 5e-324);
  CHECK(resolve_plain_scalar(".5_0").number == 0.5);
  CHECK(resolve_plain_scalar("._5").type == Type::kString);
  CHECK(resolve_plain_scalar("").type == Type::kNull);
  CHECK(resolve_plain_scalar("<<").type == Type::kString);
}

TEST_CASE("Tags are held to") {
  CHECK(tag_error("int", "x") == "yaml: cannot decode !!str `x` as a !!int");
  CHECK(tag_error("bool", "1") == "yaml: cannot decode !!int `1` as a !!bool");
  CHECK(tag_error("float", "18446744073709551615") ==
        "yaml: cannot decode !!int `18446744073709551615` as a !!float");
  CHECK(tag_error("timestamp", "5") == "yaml: cannot decode !!int `5` as a !!timestamp");
  CHECK(CW_MUST(resolve_yaml_scalar("tag:yaml.org,2002:float", "5")).type == Type::kFloat);
  CHECK(CW_MUST(resolve_yaml_scalar("tag:yaml.org,2002:str", "5")).type == Type::kString);
  CHECK(CW_MUST(resolve_yaml_scalar("!own", "5")).type == Type::kString);
}

TEST_CASE("Binary scalars are decoded") {
  const WrittenScalar good{kBinaryTag, "aGVs\nbG8=", true};
  CHECK(CW_MUST(yaml_scalar_value(good, value::Numbers::kInt64)).as_string() == "hello");
  const WrittenScalar raw{kBinaryTag, "/w==", true};
  CHECK(CW_MUST(yaml_scalar_value(raw, value::Numbers::kInt64)).as_string() == "\xEF\xBF\xBD");
  CHECK(yaml_scalar_value({kBinaryTag, "a", true}, value::Numbers::kInt64).error().message() ==
        "yaml: !!binary value contains invalid base64 data");
}

TEST_CASE("Keys sort naturally") {
  std::vector<std::string> keys = {"b",   "a10", "a2", "é",  "A", "10", "2",   "_x", "a-b",
                                   "a.b", "ab",  "aB", "a1", "",  "a",  "a01", "Z",  "a b"};
  std::stable_sort(keys.begin(), keys.end(), yaml_key_less);
  CHECK(keys == std::vector<std::string>{"", "_x", "2", "10", "A", "Z", "a", "a b", "a-b", "a.b",
                                         "a1", "a01", "a2", "a10", "aB", "ab", "b", "é"});
  CHECK(yaml_key_less("10", "100"));
  CHECK_FALSE(yaml_key_less("100", "10"));
  CHECK_FALSE(yaml_key_less("a", "a"));
}

TEST_CASE("The order of keys survives contradictions") {
  // 0o < 1 < 017 < 0o: no order is right, but sorting must still end.
  std::vector<std::string> keys;
  for (int i = 0; i < 300; ++i) {
    keys.insert(keys.end(), {"0o17", "1e3", "017"});
  }
  std::stable_sort(keys.begin(), keys.end(), yaml_key_less);
  CHECK(keys.size() == 900);
}

TEST_CASE("Strings take the plainest style that keeps them strings") {
  const auto style = [](std::string_view text) {
    return choose_yaml_style(text, analyze_yaml_text(text));
  };
  for (const char* text : {"a", "a:b", "a#b", "-a", "?x", "=", "<<", "1e", "yEs", "é\xC2\xA0"}) {
    INFO(text);
    CHECK(style(text) == Style::kPlain);
  }
  for (const char* text : {"a: b", "a:", "a #b", "- a", "-", "#a", "{", "@x", " a", "a ", "---a"}) {
    INFO(text);
    CHECK(style(text) == Style::kSingleQuoted);
  }
  for (const char* text : {"", "y", "No", "1", "1.0", "~", "2001-01-01", "1:2", "a\tb", "😀"}) {
    INFO(text);
    CHECK(style(text) == Style::kDoubleQuoted);
  }
  CHECK(style("a\nb") == Style::kLiteral);
  CHECK(style("a \nb") == Style::kDoubleQuoted);
  CHECK(style("a\nb ") == Style::kDoubleQuoted);
}

TEST_CASE("Scalars are laid out as libyaml lays them out") {
  CHECK(written("it's", Style::kSingleQuoted, 2) == "'it''s'");
  CHECK(written(std::string("\0\t\"\\\x1f\xC2\x85", 7), Style::kDoubleQuoted, 2) ==
        "\"\\0\\t\\\"\\\\\\x1F\\N\"");
  CHECK(written("\xEF\xBB\xBF"
                "a",
                Style::kDoubleQuoted, 2) == "\"\\uFEFF\\x61\"");
  CHECK(written("a\n\n b\n", Style::kLiteral, 2) == "|\n  a\n\n   b\n");
  CHECK(written(" a\n\n", Style::kLiteral, 2) == "|2+\n   a\n\n");
  CHECK(written("a\nb", Style::kLiteral, 2) == "|-\n  a\n  b");
  const std::string long_word(81, 'x');
  CHECK(written(long_word + " y z", Style::kPlain, 2) == long_word + "\n  y z");
  CHECK(written(long_word + "  y", Style::kPlain, 2) == long_word + "  y");
  CHECK(written(long_word + "  y", Style::kDoubleQuoted, 2) == "\"" + long_word + "\n  \\ y\"");
}

TEST_CASE("Strings pass through JSON as they do in Go") {
  const auto value = [](std::string_view text) {
    return CW_MUST(yaml_read_back(text, StringRole::kValue));
  };
  CHECK(value("a\xC2\x85 b") == "a b");
  CHECK(value("a\xC2\x85\xC2\x85"
              "b") == "a\nb");
  CHECK(value("a\xff") == "a\xEF\xBF\xBD");
  CHECK(value("<é\xE2\x80\xA8>") == "<é\xE2\x80\xA8>");
  CHECK_FALSE(yaml_read_back("\x7f", StringRole::kValue).ok());
  CHECK_FALSE(yaml_read_back("a\xC2\x85", StringRole::kKey).ok());
  CHECK(yaml_read_back(std::string(1022, 'k'), StringRole::kKey).ok());
  CHECK_FALSE(yaml_read_back(std::string(1023, 'k'), StringRole::kKey).ok());
  CHECK_FALSE(yaml_read_back(std::string(200, '<'), StringRole::kKey).ok());
}

}  // namespace chartwright::yaml
