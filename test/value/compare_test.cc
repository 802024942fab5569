// SPDX-License-Identifier: Apache-2.0
#include "value/compare.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "test/value/named_types.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

struct Pair {
  std::string claim;
  Value a, b;
  bool deep, json;
};

// The `deep` column is the answer of reflect.DeepEqual for the Go values of these types.
std::vector<Pair> scalar_pairs() {
  const Value one = Value::integer(1);
  return {
      {"same int", one, Value::integer(1), true, true},
      {"other int", one, Value::integer(2), false, false},
      {"int64 and int", one, Value::integer(1, IntType::kInt), false, true},
      {"int and float", one, Value::number(1), false, true},
      {"int and fraction", one, Value::number(1.5), false, false},
      {"2^53+1 and its neighbour", Value::integer(9007199254740993),
       Value::number(9007199254740992), false, false},
      {"2^63 as uint64 and as float", Value::integer(INT64_MIN, IntType::kUint64),
       Value::number(9223372036854775808.0), false, true},
      {"uint64 and the negative of the same bits", Value::integer(-1, IntType::kUint64),
       Value::integer(-1), false, false},
      {"-2^63 and float", Value::integer(INT64_MIN), Value::number(-9223372036854775808.0), false,
       true},
      {"int and infinity", one, Value::number(INFINITY), false, false},
      {"NaN", Value::number(NAN), Value::number(NAN), false, false},
      {"zeros of both signs", Value::number(0.0), Value::number(-0.0), true, true},
      {"int and string", one, Value::string("1"), false, false},
      {"bool", Value::boolean(true), Value::boolean(true), true, true},
      {"bool and int", Value::boolean(true), one, false, false},
      {"string", Value::string("a"), Value::string("a"), true, true},
      {"bytes and string", Value::bytes("a"), Value::string("a"), false, false},
      {"bytes and their base64", Value::bytes("a"), Value::string("YQ=="), false, true},
      {"bytes", Value::bytes("a"), Value::bytes("a"), true, true},
      {"nil", Value(), Value(), true, true},
      {"nil and no value", Value(), Value::no_value(), false, true},
      {"nil and empty string", Value(), Value::string(""), false, false},
  };
}

std::vector<Pair> container_pairs() {
  const Value one = Value::integer(1);
  const Value dict = Value::dict({{"a", one}});
  return {
      {"empty lists", Value::list(), Value::list(), true, true},
      {"nil and empty list", Value::nil_list(), Value::list(), false, false},
      {"nil list and nil", Value::nil_list(), Value(), false, true},
      {"list types", Value::list({one}), Value::list({one}, kIntList), false, true},
      {"lengths", Value::list({one}), Value::list({one, one}), false, false},
      {"order", Value::list({one, Value()}), Value::list({Value(), one}), false, false},
      {"dict", dict, Value::dict({{"a", one}}), true, true},
      {"dict and number type", dict, Value::dict({{"a", Value::number(1)}}), false, true},
      {"dict key", dict, Value::dict({{"b", one}}), false, false},
      {"dict size", dict, Value::dict({{"a", one}, {"b", Value()}}), false, false},
      {"dict types", dict, dict.with_type(kValuesDict), false, true},
      {"nil and empty dict", Value::nil_dict(), Value::dict(), false, false},
      {"nil dict and nil", Value::nil_dict(), Value(), false, true},
      {"nil and empty bytes", Value::nil_bytes(), Value::bytes(""), false, false},
      {"dict and list", Value::dict(), Value::list(), false, false},
      {"dict and nil", Value::dict(), Value(), false, false},
  };
}

TEST_CASE("Values are compared by Go's and by JSON's rules") {
  std::vector<Pair> pairs = scalar_pairs();
  for (Pair& pair : container_pairs()) {
    pairs.push_back(std::move(pair));
  }
  for (const Pair& pair : pairs) {
    CAPTURE(pair.claim);
    CHECK(deep_equal(pair.a, pair.b) == pair.deep);
    CHECK(deep_equal(pair.b, pair.a) == pair.deep);
    CHECK(json_equal(pair.a, pair.b) == pair.json);
    CHECK(json_equal(pair.b, pair.a) == pair.json);
  }
}

TEST_CASE("Differences are found at any depth") {
  const std::string open(9'000, '[');
  const std::string close(9'000, ']');
  const auto parse = [](const std::string& text) {
    return CW_MUST(parse_json(text, Numbers::kInt64));
  };
  CHECK(deep_equal(parse(open + "1" + close), parse(open + "1" + close)));
  CHECK_FALSE(deep_equal(parse(open + "1" + close), parse(open + "2" + close)));
  CHECK_FALSE(json_equal(parse(open + "1" + close), parse(open + "2" + close)));
}

TEST_CASE("Comparing dicts that contain themselves ends") {
  const Value a = Value::dict();
  const Value b = Value::dict();
  a.mutable_dict().set("self", a);
  b.mutable_dict().set("self", b);
  CHECK(deep_equal(a, b));
  b.mutable_dict().set("more", Value());
  CHECK_FALSE(deep_equal(a, b));
  a.mutable_dict().erase("self");
  b.mutable_dict().erase("self");
}

class Version final : public Native {
 public:
  Version(std::string type, std::string text) : type_(std::move(type)), text_(std::move(text)) {}
  std::string_view go_type() const override { return type_; }
  std::string_view go_kind() const override { return "ptr"; }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  std::string to_string() const override { return text_; }
  base::Result<Value> to_json_value() const override { return Value::string(text_); }

 private:
  const std::string type_;
  const std::string text_;
};

Value version(const std::string& type, const std::string& text) {
  return Value::native(std::make_shared<Version>(type, text));
}

TEST_CASE("Natives are equal by type and JSON form") {
  CHECK(deep_equal(version("T", "1"), version("T", "1")));
  CHECK_FALSE(deep_equal(version("T", "1"), version("T", "2")));
  CHECK_FALSE(deep_equal(version("T", "1"), version("U", "1")));
  CHECK_FALSE(deep_equal(version("T", "1"), Value::string("1")));
  CHECK(json_equal(version("T", "1"), version("U", "1")));
  CHECK(json_equal(version("T", "1"), Value::string("1")));
  CHECK_FALSE(json_equal(Value::string("2"), version("T", "1")));
}

}  // namespace
}  // namespace chartwright::value
