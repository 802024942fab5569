// SPDX-License-Identifier: Apache-2.0
#include "generate/schema_rule.h"

#include <catch2/catch.hpp>

#include "generate/structural.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

// The API server judges the meaning of the expressions: test/e2e/test_crd_rules.py.

/// Returns the rules of a closed table with fields of several types.
std::string rules(const std::string& keywords, const std::string& defaults = "{}") {
  const auto result = structural_schema(
      R"({"type": "object", "additionalProperties": false, "properties": {
          "mode": {"type": "string"}, "size": {"type": "integer"}, "open": {},
          "a-b": {"type": "boolean"}, "list": {"type": "array", "items": {"type": "object",
          "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
          "dependentRequired": {"x": ["y"]}}, "maxItems": 9}}, )" +
          keywords + "}",
      {"s.json", *yaml::parse_yaml(defaults, value::Numbers::kInt64)});
  REQUIRE(result.ok());
  std::string text;
  const Yaml* all = result->schema.find(kValidations);
  for (const Yaml& rule : all != nullptr ? all->items() : std::vector<Yaml>()) {
    text += rule.find("rule")->scalar();
    text += rule.has("message") ? " # " + rule.find("message")->scalar() : "";
    text += '\n';
  }
  for (const SchemaNote& note : result->notes) {
    text += "note: " + note.text + "\n";
  }
  return text;
}

const std::string kIf = R"("if": {"properties": {"mode": {"const": "many"}}}, )";

}  // namespace

TEST_CASE("A rule takes what is left out from values.yaml") {
  CHECK(rules(kIf + R"("then": {"required": ["size"]})") ==
        "!(!has(self.mode) || self.mode == \"many\") || has(self.size)\n");
  CHECK(rules(kIf + R"("then": {"required": ["size"]})", "{mode: one}") ==
        "!(has(self.mode) && self.mode == \"many\") || has(self.size)\n");
  CHECK(rules(kIf + R"("then": {"required": ["size"]})", "{size: 1}").empty());
  CHECK(rules(kIf + R"("else": {"required": ["a-b"], "title": "Say a-b."})") ==
        "!has(self.mode) || self.mode == \"many\" || has(self.a__dash__b) # Say a-b.\n");
}

TEST_CASE("A rule about what CEL does not see is named") {
  CHECK(rules(R"("dependentRequired": {"mode": ["open"]})") ==
        "note: \"dependentRequired\" is not checked by the CRD: \"open\" has no type there\n");
  CHECK(rules(R"("anyOf": [{"required": ["other"]}, {"required": ["mode"]}])") ==
        "note: \"anyOf\" is not checked by the CRD: \"other\" is not among the \"properties\" "
        "there\n");
  CHECK(rules(R"("if": {"minProperties": 2}, "then": {"required": ["mode"]})") ==
        "note: \"if\" is not checked by the CRD: \"minProperties\" is among its rules\n");
  CHECK(rules(R"("not": {"properties": {"mode": {"$ref": "other.json"}}})", "{mode: a}") ==
        "note: \"not\" is not checked by the CRD\n");
}

TEST_CASE("Keywords that a draft does not have are no rules") {
  CHECK(rules(R"("$schema": "http://json-schema.org/draft-07/schema#",
                 "dependentRequired": {"mode": ["size"]})")
            .empty());
  CHECK(rules(R"("$schema": "http://json-schema.org/draft-04/schema#", "if": {},
                 "then": {"required": ["size"]})")
            .empty());
  CHECK(rules(R"("$schema": "http://json-schema.org/draft-04/schema#",
                 "dependencies": {"mode": ["size"]})") == "!has(self.mode) || has(self.size)\n");
}

TEST_CASE("A small schema that references make huge is not checked, and takes no time") {
  std::string definitions = R"("$defs": {)";
  for (int i = 0; i < 8; ++i) {
    const std::string next = R"({"$ref": "#/$defs/x)" + std::to_string(i + 1) + R"("})";
    std::string parts = next;
    for (int k = 0; k < 7; ++k) {
      parts += ", " + next;
    }
    definitions += "\"x" + std::to_string(i) + R"(": {"allOf": [)" + parts + "]}, ";
  }
  definitions += R"("x8": {"properties": {"mode": {"pattern": "^a"}}}})";
  CHECK(rules(R"("if": {"$ref": "#/$defs/x0"}, "then": {"required": ["size"]}, )" + definitions) ==
        "note: \"if\" is not checked by the CRD: the schema is too large\n");
}

TEST_CASE("A schema that refers to itself does not make an endless rule") {
  CHECK(rules(R"("if": {"$ref": "#/$defs/x"}, "then": {"required": ["size"]},
                 "$defs": {"x": {"not": {"$ref": "#/$defs/x"}}})") ==
        "note: \"if\" is not checked by the CRD\n");
}

}  // namespace chartwright::generate
