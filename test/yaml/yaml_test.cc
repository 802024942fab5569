// SPDX-License-Identifier: Apache-2.0
#include "yaml/yaml.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "value/json.h"

namespace chartwright::yaml {
namespace {

base::Error error_of(std::string_view text) {
  return parse_yaml(text, value::Numbers::kInt64).error();
}

std::string yaml_of(const value::Value& v) {
  const base::Result<std::string> yaml = to_yaml(v);
  return yaml.ok() ? *yaml : "error: " + yaml.error().message();
}

// A document in which `levels` anchors each repeat the one before `times` times.
std::string alias_bomb(int levels, int times) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < times; ++k) {
      text += ", " + alias;
    }
    text += "]\n";
  }
  return text;
}

value::Value nested_list(int depth) {
  value::Value v = value::Value::list();
  for (int i = 1; i < depth; ++i) {
    v = value::Value::list({v});
  }
  return v;
}

}  // namespace

TEST_CASE("YAML errors carry the true line and column beside Go's text") {
  const base::Error scan = error_of("a: 1\nb: 'x\n");
  CHECK(scan.code() == base::ErrorCode::kParse);
  CHECK(scan.message() ==
        "error converting YAML to JSON: yaml: line 3: found unexpected end of stream");
  REQUIRE(scan.pos());
  CHECK(scan.pos()->line == 3);
  const base::Error parse = error_of("a: 1\nb: [1\nc: 2\n");
  CHECK(parse.message() ==
        "error converting YAML to JSON: yaml: line 2: did not find expected ',' or ']'");
  REQUIRE(parse.pos());
  CHECK(parse.pos()->line == 3);
  CHECK(parse.pos()->column == 2);  // The colon.
}

TEST_CASE("Integers stay integers only where asked for") {
  const std::string text = "[1, 1.0, 1e3, 9007199254740993, 18446744073709551615, -0.0, 1e20, 0.5]";
  CHECK(CW_MUST(parse_yaml(text, value::Numbers::kInt64)).as_list().items[3].as_int() ==
        9007199254740993);
  CHECK(CW_MUST(parse_yaml(text, value::Numbers::kFloat64)).as_list().items[3].as_float() ==
        9007199254740992.0);
  const value::Value whole = CW_MUST(parse_yaml(text, value::Numbers::kInt64));
  CHECK(whole.as_list().items[1].is_int());
  CHECK(whole.as_list().items[2].as_int() == 1000);
  CHECK(whole.as_list().items[4].is_float());
  CHECK(whole.as_list().items[5].is_int());
  CHECK(whole.as_list().items[6].is_float());
}

TEST_CASE("Alias bombs are refused") {
  const base::Error bomb = error_of(alias_bomb(9, 10));
  CHECK(bomb.code() == base::ErrorCode::kBudget);
  CHECK(bomb.message() ==
        "error converting YAML to JSON: yaml: document contains excessive aliasing");
  CHECK(parse_yaml(alias_bomb(3, 10), value::Numbers::kInt64).ok());
}

TEST_CASE("Aliases to long texts are refused once they unfold too far") {
  std::string text = "a: &a " + std::string(size_t{1} << 20, 'x') + "\nb: [";
  for (int i = 0; i < 300; ++i) {
    text += "*a, ";
  }
  const base::Error error = error_of(text + "]\n");
  CHECK(error.code() == base::ErrorCode::kBudget);
  CHECK(error.message() ==
        "error converting YAML to JSON: yaml: document unfolds to more than 268435456 bytes");
}

TEST_CASE("Depth and size are bounded") {
  CHECK(error_of(std::string(20'000, '[')).message() ==
        "error converting YAML to JSON: yaml: exceeded max depth of 10000");
  CHECK(error_of(std::string((size_t{64} << 20) + 1, ' ')).code() == base::ErrorCode::kBudget);
  // Depth that only aliases create.
  std::string text = "a0: &a0 " + std::string(4000, '[') + std::string(4000, ']') + "\n";
  text += "a1: &a1 " + std::string(4000, '[') + "*a0" + std::string(4000, ']') + "\n";
  text += "a2: " + std::string(4000, '[') + "*a1" + std::string(4000, ']') + "\n";
  CHECK(error_of(text).code() == base::ErrorCode::kBudget);
}

TEST_CASE("Every kind of value has a YAML form") {
  CHECK(yaml_of(value::Value::dict({{"n", value::Value::nil()},
                                    {"b", value::Value::boolean(true)},
                                    {"i", value::Value::integer(-7, value::IntType::kInt)},
                                    {"u", value::Value::integer(-1, value::IntType::kUint64)},
                                    {"f", value::Value::number(1000000)},
                                    {"e", value::Value::number(1e20)},
                                    {"z", value::Value::number(-0.0)},
                                    {"y", value::Value::bytes("hi")},
                                    {"l", value::Value::nil_list()},
                                    {"s", value::Value::list({value::Value::string("on")})}})) ==
        "b: true\ne: 1e+20\nf: 1000000\ni: -7\nl: null\n\"n\": null\ns:\n- \"on\"\n"
        "u: 18446744073709551615\n\"y\": aGk=\nz: 0\n");
  CHECK(yaml_of(value::Value::no_value()) == "null\n");
  CHECK(yaml_of(value::Value::number(std::numeric_limits<double>::quiet_NaN())) ==
        "error: error marshaling into JSON: json: unsupported value: NaN");
}

TEST_CASE("Bytes that are not UTF-8 become U+FFFD") {
  CHECK(yaml_of(value::Value::string("a\xff\xc3z")) == "a\xEF\xBF\xBD\xEF\xBF\xBDz\n");
}

TEST_CASE("A value that holds itself is refused") {
  const value::Value dict = value::Value::dict();
  dict.mutable_dict().set("self", dict);
  const base::Result<std::string> yaml = to_yaml(dict);
  REQUIRE_FALSE(yaml.ok());
  CHECK(yaml.error().code() == base::ErrorCode::kBudget);
  dict.mutable_dict().erase("self");  // Breaks the cycle, so that it is freed.
}

TEST_CASE("Values are written up to the depth that can be read") {
  const value::Value deep = nested_list(10'000);
  CHECK(parse_yaml(CW_MUST(value::to_json(deep)), value::Numbers::kInt64).ok());
  CHECK(to_yaml(deep).ok());
  CHECK(to_yaml(nested_list(10'001)).error().code() == base::ErrorCode::kBudget);
}

TEST_CASE("Shared values do not unfold without end") {
  value::Value v = value::Value::list({value::Value::string("x")});
  for (int i = 0; i < 60; ++i) {
    v = value::Value::list({v, v});
  }
  CHECK(to_yaml(v).error().code() == base::ErrorCode::kBudget);
}

}  // namespace chartwright::yaml
