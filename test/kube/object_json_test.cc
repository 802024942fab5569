// SPDX-License-Identifier: Apache-2.0
#include "kube/object_json.h"

#include <catch2/catch.hpp>

#include "test/base/answer_file.h"

namespace chartwright::kube {
namespace {

std::string text(const value::Value& v) { return CW_MUST(value::to_json(v)); }

TEST_CASE("Objects are decoded, and refused, as other documents are") {
  for (const base::Answer& answer : base::read_answers("value/json_decode.txt")) {
    // The answers are for whole documents; each is also tried inside an object.
    for (const std::string& document : {answer.input, "{\"a\":" + answer.input + "}"}) {
      CAPTURE(document);
      const auto expected = value::parse_json(document, value::Numbers::kInt64);
      const auto actual = parse_object_json(document);
      REQUIRE(actual.ok() == expected.ok());
      if (expected.ok()) {
        CHECK(text(*actual) == text(*expected));
      } else {
        CHECK(actual.error().message() == expected.error().message());
      }
    }
  }
}

TEST_CASE("Numbers of objects keep their kind") {
  const value::Value object = CW_MUST(parse_object_json(
      R"({"i":1,"n":-1,"z":-0,"f":1.0,"big":9223372036854775807,"over":9223372036854775808,
          "huge":123456789012345678901234567890})"));
  for (const char* whole : {"i", "n", "z", "big"}) {
    CAPTURE(whole);
    CHECK(object.find(whole)->is_int());
  }
  for (const char* real : {"f", "over", "huge"}) {
    CAPTURE(real);
    CHECK(object.find(real)->is_float());
  }
  CHECK(object.find("huge")->as_float() == 123456789012345678901234567890.0);
}

TEST_CASE("Of equal keys the last one stays, and escapes are undone") {
  CHECK(text(CW_MUST(parse_object_json(R"({"a":1,"\u0061":2,"b\n":"\ud83d\ude00"})"))) ==
        "{\"a\":2,\"b\\n\":\"\U0001F600\"}");
}

TEST_CASE("A member of a user that is named as the fields of managers is decoded") {
  for (const char* object :
       {R"({"spec":{"a":{"fieldsV1":{"x":1}}}})", R"({"fieldsV1":{"x":1}})",
        R"({"spec":{"metadata":{"managedFields":[{"fieldsV1":{"x":1}}]}}})",
        R"({"metadata":{"annotations":{"fieldsV1":{"x":1}}}})",
        R"({"metadata":{"managedFields":{"fieldsV1":{"x":1}}}})",
        R"({"metadata":{"managedFields":[{"a":{"fieldsV1":{"x":1}}}]}})",
        R"({"metadata":{"managedFields":[[{"fieldsV1":{"x":1}}]]}})",
        R"({"object":{"metadata":{"managedFields":[{"fieldsV1":{"x":1}}]}}})"}) {
    CHECK(text(CW_MUST(parse_object_json(object))) == object);
  }
  const std::string event =
      R"({"object":{"metadata":{"managedFields":[{"fieldsV1":{"x":1}}]},"spec":{"fieldsV1":{}}}})";
  CHECK(text(CW_MUST(parse_object_json(event, ObjectDocument::kEvent))) ==
        R"({"object":{"metadata":{"managedFields":[{"fieldsV1":"{\"x\":1}"}]},)"
        R"("spec":{"fieldsV1":{}}}})");
}

TEST_CASE("The fields of managers stay text until they are read") {
  const value::Value object = CW_MUST(parse_object_json(
      R"({"metadata":{"managedFields":[{"manager":"m","fieldsV1":{"f:a":{ },"k:{\"x\":1}":{}}}]}})"));
  const value::Value* entries = object.find_path({"metadata", "managedFields"});
  REQUIRE(entries != nullptr);
  const value::Value& fields = *entries->as_list().items.at(0).find("fieldsV1");
  CHECK(fields.is_string());
  CHECK(text(decode_fields(fields)) == R"({"f:a":{},"k:{\"x\":1}":{}})");
  CHECK(text(decode_fields(decode_fields(fields))) == text(decode_fields(fields)));
  CHECK(decode_fields(value::Value::string("{")).is_nil());
}

TEST_CASE("Deep and large objects are decoded all the same") {
  constexpr int kDepth = 5000;
  const std::string deep = "{\"a\":" + std::string(kDepth, '[') + std::string(kDepth, ']') + "}";
  CHECK(text(CW_MUST(parse_object_json(deep))) == deep);
  const std::string large = "{\"a\":\"" + std::string(300'000, 'x') + "\"}";
  CHECK(text(CW_MUST(parse_object_json(large))) == large);
  CHECK_FALSE(parse_object_json(deep + "x").ok());
  CHECK_FALSE(parse_object_json(R"({"a":1} {"b":2})").ok());
}

}  // namespace
}  // namespace chartwright::kube
