// SPDX-License-Identifier: Apache-2.0
#include "generate/choices.h"

#include <catch2/catch.hpp>

#include "generate/structural.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

using value::Value;

/// Returns the schema of a CRD, made from a JSON schema and the content of values.yaml.
std::string crd_schema(const std::string& json, const std::string& defaults = "{}") {
  const auto result = structural_schema(
      json, {"s.json", *yaml::parse_yaml(defaults, value::Numbers::kInt64), OpenTables::kKeep});
  REQUIRE(result.ok());
  return result->schema.to_string();
}

std::string choice_of_text(const std::string& choice, const std::string& defaults = "{}") {
  const std::string json = R"({"type": "object", "additionalProperties": false, "properties": {
      "mode": {"type": "string"}, "port": {"type": "integer"},
      "list": {"type": "array", "items": {"type": "string"}}}, )" +
                           choice + "}";
  const auto schema = yaml::parse_yaml(crd_schema(json, defaults), value::Numbers::kInt64);
  REQUIRE(schema.ok());
  Value found = Value::dict();
  for (const char* key : {"anyOf", "oneOf", "allOf", "not"}) {
    if (const Value* rules = schema->find(key)) {
      found.mutable_dict().set(key, *rules);
    }
  }
  return value::to_json(found).value_or("");
}

}  // namespace

TEST_CASE("A choice keeps rules about values, and loses what is said outside") {
  CHECK(choice_of_text(R"("oneOf": [{"required": ["mode"]}, {"required": ["port"]}])") ==
        R"({"oneOf":[{"required":["mode"]},{"required":["port"]}]})");
  CHECK(choice_of_text(R"("anyOf": [{"title": "t", "type": "object", "properties": {
          "mode": {"type": "string", "const": "a", "default": "b", "description": "d"}}},
          {"properties": {"list": {"items": {"minLength": 2}}}}])") ==
        R"({"anyOf":[{"properties":{"mode":{"enum":["a"]}}},)"
        R"({"properties":{"list":{"items":{"minLength":2}}}}]})");
  CHECK(choice_of_text(R"("not": {"required": ["mode", "port"]})") ==
        R"({"not":{"required":["mode","port"]}})");
  CHECK(crd_schema(R"({"type": ["string", "null"], "not": {"const": "latest"}})") ==
        "nullable: true\ntype: string\nnot:\n  enum:\n    - latest\n");
}

TEST_CASE("A choice that a CRD would decide otherwise than Helm is left out") {
  const auto left_out = [](const std::string& choice, const std::string& defaults = "{}") {
    return choice_of_text(choice, defaults) == "{}";
  };
  // The values have a mode, whatever the spec says.
  CHECK(left_out(R"("oneOf": [{"required": ["mode"]}, {"required": ["port"]}])", "{mode: a}"));
  CHECK(left_out(R"("not": {"properties": {"mode": {"enum": ["a"]}}})", "{mode: a}"));
  CHECK(left_out(R"("anyOf": [{"properties": {"mode": {"type": ["string", "null"]}}}])"));
  CHECK(left_out(R"("anyOf": [{"properties": {"other": {"minLength": 1}}}])"));
  CHECK(left_out(R"("oneOf": [{"required": ["other"]}])"));
  CHECK(left_out(R"("oneOf": [{"if": {}}, {"required": ["port"]}])"));
  CHECK(left_out(R"("anyOf": [{"properties": {"mode": {"x-kubernetes-validations": []}}}])"));
  CHECK(left_out(R"("oneOf": [true])"));
  CHECK(left_out(R"("oneOf": [{"additionalProperties": false}])"));
}

TEST_CASE("Keywords beside a reference belong to the choice") {
  const std::string draft = R"("$schema": "http://json-schema.org/draft-07/schema#", )";
  const std::string choice =
      R"("definitions": {"m": {"required": ["mode"]}},
         "not": {"$ref": "#/definitions/m", "properties": {"port": {"minimum": 1}}})";
  // Before draft 2019 it does not count.
  CHECK(choice_of_text(draft + choice) == R"({"not":{"required":["mode"]}})");
  CHECK(choice_of_text(choice) ==
        R"({"not":{"properties":{"port":{"minimum":1}},"required":["mode"]}})");
  CHECK(choice_of_text(R"("definitions": {"m": {"required": ["mode"]}},
                          "not": {"$ref": "#/definitions/m", "required": ["port"]})") == "{}");
}

TEST_CASE("A choice takes no constant from a schema before draft 6") {
  const std::string choice = R"("anyOf": [{"properties": {"mode": {"const": "a"}}}])";
  CHECK(choice_of_text(R"("$schema": "http://json-schema.org/draft-04/schema#", )" + choice) ==
        R"({"anyOf":[{"properties":{"mode":{}}}]})");
  CHECK(choice_of_text(R"("$schema": "http://json-schema.org/draft-06/schema#", )" + choice) ==
        R"({"anyOf":[{"properties":{"mode":{"enum":["a"]}}}]})");
}

}  // namespace chartwright::generate
