// SPDX-License-Identifier: Apache-2.0
#include "value/json.h"

#include <bit>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/thread.h"
#include "test/base/answer_file.h"

namespace chartwright::value {
namespace {

using base::Answer;
using base::ErrorCode;
using base::read_answers;
using base::Result;

std::string reencode(std::string_view text, Numbers numbers = Numbers::kFloat64) {
  return CW_MUST(to_json(CW_MUST(parse_json(text, numbers))));
}

TEST_CASE("Documents are decoded, and refused, as Go does") {
  for (const Answer& answer : read_answers("value/json_decode.txt")) {
    CAPTURE(answer.input);
    const Result<Value> v = parse_json(answer.input, Numbers::kFloat64);
    if (answer.ok) {
      REQUIRE(v.ok());
      CHECK(CW_MUST(to_json(*v)) == answer.text);
    } else {
      REQUIRE_FALSE(v.ok());
      CHECK(v.error().code() == ErrorCode::kParse);
      CHECK(v.error().message() == answer.text);
      CHECK(v.error().pos().has_value());
    }
  }
}

TEST_CASE("An error names line and column") {
  const auto [text, place] = GENERATE(table<std::string, std::string>({{"", "1:1"},
                                                                       {"[1,\n  2,,3]", "2:5"},
                                                                       {"{\"\xc3\xa9\": x}", "1:7"},
                                                                       {"[1,\n1e999]", "2:1"},
                                                                       {"{\n\n", "3:1"}}));
  CAPTURE(text);
  CHECK(parse_json(text, Numbers::kInt64).error().pos()->to_string() == place);
}

TEST_CASE("Whole numbers of Kubernetes objects stay whole") {
  CHECK(CW_MUST(parse_json("1", Numbers::kInt64)).is_int());
  CHECK(CW_MUST(parse_json("-0", Numbers::kInt64)).as_int() == 0);
  CHECK(CW_MUST(parse_json("1.0", Numbers::kInt64)).is_float());
  CHECK(CW_MUST(parse_json("1e3", Numbers::kInt64)).is_float());
  CHECK(CW_MUST(parse_json("9223372036854775808", Numbers::kInt64)).is_float());
  CHECK(CW_MUST(parse_json("1", Numbers::kFloat64)).is_float());
  CHECK(reencode("[9223372036854775807,-9223372036854775808]", Numbers::kInt64) ==
        "[9223372036854775807,-9223372036854775808]");
}

TEST_CASE("Texts past the limits are refused") {
  JsonLimits limits;
  limits.max_bytes = 5;
  CHECK(parse_json("[1,2]", Numbers::kInt64, limits).ok());
  CHECK(parse_json("[1,23]", Numbers::kInt64, limits).error().code() == ErrorCode::kBudget);
  limits = {};
  limits.max_depth = 2;
  CHECK(parse_json("[{}]", Numbers::kInt64, limits).ok());
  CHECK(parse_json("[[{}]]", Numbers::kInt64, limits).error().code() == ErrorCode::kBudget);
}

TEST_CASE("Documents nest as deep as in Go, on a small stack") {
  const std::string deepest = std::string(10'000, '[') + std::string(10'000, ']');
  std::string reencoded;
  std::string error;
  base::Thread thread("small", size_t{256} << 10, [&] {
    reencoded = reencode(deepest);
    error = parse_json("[" + deepest + "]", Numbers::kFloat64).error().message();
  });
  thread.join();
  CHECK(reencoded == deepest);
  CHECK(error == "exceeded max depth");
}

TEST_CASE("A document of unordered keys is decoded in good time") {
  std::string text = "{";
  for (int i = 200'000; i > 0; --i) {
    text += (text.size() > 1 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  }
  CHECK(CW_MUST(parse_json(text + "}", Numbers::kInt64)).as_dict().size() == 200'000);
}

TEST_CASE("Floats are written as Go does") {
  for (const Answer& answer : read_answers("value/json_floats.txt")) {
    CAPTURE(answer.input);
    uint64_t bits = 0;
    const char* end = answer.input.data() + answer.input.size();
    REQUIRE(std::from_chars(answer.input.data(), end, bits, 16).ptr == end);
    CHECK(json_number(std::bit_cast<double>(bits)) == answer.text);
  }
}

TEST_CASE("Indented documents are written as Go does") {
  for (const Answer& answer : read_answers("value/json_indent.txt")) {
    CAPTURE(answer.input);
    const Value v = CW_MUST(parse_json(answer.input, Numbers::kFloat64));
    CHECK(CW_MUST(to_json_pretty(v, JsonEscape::kNone)) == answer.text);
  }
}

TEST_CASE("Values without a JSON counterpart have Go's form") {
  CHECK(CW_MUST(to_json(Value::nil_list())) == "null");
  CHECK(CW_MUST(to_json(Value::list())) == "[]");
  CHECK(CW_MUST(to_json(Value::bytes("hi\xff"))) == "\"aGn/\"");
  CHECK(CW_MUST(to_json(Value::integer(-1, IntType::kUint64))) == "18446744073709551615");
  CHECK(CW_MUST(to_json(Value::integer(-1, IntType::kInt))) == "-1");
  CHECK(CW_MUST(to_json(Value::string("<"))) == "\"\\u003c\"");
  CHECK(CW_MUST(to_json(Value::string("<"), JsonEscape::kNone)) == "\"<\"");
  CHECK(CW_MUST(to_json_pretty(Value::string("<"))) == "\"\\u003c\"");
}

TEST_CASE("Numbers that JSON does not know are refused") {
  CHECK(to_json(Value::number(std::nan(""))).error().message() == "json: unsupported value: NaN");
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(to_json(Value::list({Value::number(infinity)})).error().message() ==
        "json: unsupported value: +Inf");
  CHECK(to_json(Value::number(-infinity)).error().code() == ErrorCode::kInvalidArgument);
}

TEST_CASE("A dict that contains itself is refused") {
  const Value v = Value::dict();
  v.mutable_dict().set("self", Value::list({v}));
  CHECK(to_json(v).error().message() ==
        "json: unsupported value: encountered a cycle via map[string]interface {}");
  v.mutable_dict().erase("self");
}

// A struct that makes its JSON form on demand, and contains another such struct.
class Chart final : public Native {
 public:
  explicit Chart(int depth) : depth_(depth) {}
  std::string_view go_type() const override { return "*chart.Chart"; }
  std::string_view go_kind() const override { return "ptr"; }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  std::string to_string() const override { return "chart"; }
  base::Result<Value> to_json_value() const override {
    return Value::dict(
        {{"name", Value::string("c")},
         {"sub", depth_ == 0 ? Value::nil_list()
                             : Value::list({Value::native(std::make_shared<Chart>(depth_ - 1))})}});
  }

 private:
  const int depth_;
};

TEST_CASE("Natives are written in their JSON form") {
  CHECK(CW_MUST(to_json(Value::native(std::make_shared<Chart>(1)))) ==
        R"({"name":"c","sub":[{"name":"c","sub":null}]})");
}

TEST_CASE("A value has the type that JSON Schema gives it") {
  CHECK(schema_type(Value::string("1")) == "string");
  CHECK(schema_type(Value::boolean(false)) == "boolean");
  CHECK(schema_type(Value::integer(1)) == "integer");
  CHECK(schema_type(Value::number(1)) == "integer");
  CHECK(schema_type(Value::number(1.5)) == "number");
  CHECK(schema_type(Value::list({})) == "array");
  CHECK(schema_type(Value::dict()) == "object");
  CHECK(schema_type(Value()).empty());
}

}  // namespace
}  // namespace chartwright::value
