// SPDX-License-Identifier: Apache-2.0
#include "generate/structural.h"

#include <catch2/catch.hpp>

#include "base/clock.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

using Lines = std::vector<std::string>;

Structural convert(const std::string& json, const std::string& defaults = "{}") {
  auto result = structural_schema(
      json, {"s.json", *yaml::parse_yaml(defaults, value::Numbers::kInt64), OpenTables::kKeep});
  REQUIRE(result.ok());
  return *std::move(result);
}

std::string schema_of(const std::string& json, const std::string& defaults = "{}") {
  return convert(json, defaults).schema.to_string();
}

Lines notes_of(const std::string& json, const std::string& defaults = "{}") {
  Lines lines;
  for (const SchemaNote& note : convert(json, defaults).notes) {
    lines.push_back(note.place + ": " + note.text);
  }
  return lines;
}

}  // namespace

TEST_CASE("Types and limits are kept, in the order of the author") {
  CHECK(schema_of(R"({"type": "object", "additionalProperties": false, "properties": {
      "port": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
      "name": {"type": "string", "const": "a", "description": "A name."}}})") ==
        "type: object\nproperties:\n  port:\n    type: integer\n    minimum: 1\n    maximum: 9\n"
        "    exclusiveMaximum: true\n  name:\n    description: A name.\n    type: string\n"
        "    enum:\n      - a\n");
}

TEST_CASE("A table that allows other keys keeps them") {
  CHECK(schema_of(R"({"type": "object", "properties": {"a": {"type": "string"}}})") ==
        "type: object\nproperties:\n  a:\n    type: string\n"
        "x-kubernetes-preserve-unknown-fields: true\n");
  CHECK(schema_of(R"({"type": "object", "additionalProperties": {"type": "string"}})") ==
        "type: object\nadditionalProperties:\n  type: string\n");
  CHECK(schema_of(R"({"type": "object"})") ==
        "type: object\nx-kubernetes-preserve-unknown-fields: true\n");
}

TEST_CASE("An integer or a string has its own keyword") {
  const std::string both = "x-kubernetes-int-or-string: true\n";
  CHECK(schema_of(R"({"type": ["string", "integer"]})") == both);
  CHECK(schema_of(R"({"anyOf": [{"type": "integer"}, {"type": "string"}]})") == both);
  CHECK(schema_of(R"({"type": ["string", "null"]})") == "nullable: true\ntype: string\n");
}

TEST_CASE("A field with a default in the chart is not required") {
  const std::string json = R"({"type": "object", "required": ["a", "b", "c"],
      "additionalProperties": false,
      "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}})";
  const auto schema = yaml::parse_yaml(schema_of(json, "{a: x, b: null}"), value::Numbers::kInt64);
  REQUIRE(schema.ok());
  CHECK(value::to_json(*schema->find("required")).value_or("") == R"(["b","c"])");
}

// No enum of the API server allows null, not even one that has it.
TEST_CASE("Null is right where Helm removes a default for it") {
  const auto member = [](const std::string& schema, const std::string& more = "",
                         const std::string& defaults = "{a: b}") {
    const auto all = yaml::parse_yaml(
        schema_of(R"({"type": "object", )" + more + R"("properties": {"a": )" + schema + "}}",
                  defaults),
        value::Numbers::kInt64);
    REQUIRE(all.ok());
    return value::to_json(*all->find("properties")->find("a")).value_or("");
  };
  CHECK(member(R"({"type": "string", "default": "b"})") ==
        R"({"default":"b","nullable":true,"type":"string"})");
  CHECK(member(R"({"enum": ["b", "c"]})") ==
        R"({"allOf":[{"enum":["b","c"]}],"nullable":true,"type":"string"})");
  CHECK(member("{}") == R"({"nullable":true,"x-kubernetes-preserve-unknown-fields":true})");
  CHECK(member(R"({"type": "string"})", R"("required": ["a"], )") == R"({"type":"string"})");
  CHECK(member(R"({"type": "string"})", R"("allOf": [{"required": ["a"]}], )") ==
        R"({"type":"string"})");
  CHECK(member(R"({"enum": ["b"]})", "", "{}") == R"({"enum":["b"],"type":"string"})");
  CHECK(member(R"({"enum": ["b", null]})", "", "{}") ==
        R"({"allOf":[{"enum":["b"]}],"nullable":true,"type":"string"})");
}

TEST_CASE("An enum without a type tells the type") {
  CHECK(schema_of(R"({"enum": [1, 2]})") == "type: integer\nenum:\n  - 1\n  - 2\n");
  CHECK(schema_of(R"({"enum": [1, 2.5]})") == "type: number\nenum:\n  - 1\n  - 2.5\n");
  CHECK(schema_of(R"({"const": true})") == "type: boolean\nenum:\n  - true\n");
  CHECK(schema_of(R"({"enum": ["auto", 1]})") ==
        "x-kubernetes-int-or-string: true\nenum:\n  - auto\n  - 1\n");
  CHECK(notes_of(R"({"enum": ["auto", true]})") ==
        Lines{"s.json:1:1: is not checked by the CRD: a field of a CRD has one type"});
}

TEST_CASE("Limits that count the fields of values.yaml are not for the spec alone") {
  CHECK(
      notes_of(R"({"properties": {"a": {"type": "object", "minProperties": 2}}})", "{a: {b: 1}}") ==
      Lines{"s.json:1:41: \"minProperties\" is not checked by the CRD: values.yaml has fields "
            "there"});
}

TEST_CASE("A field with a wrong default must be given") {
  StructuralOptions options{"s.json", *yaml::parse_yaml("{a: '', b: x}", value::Numbers::kInt64)};
  options.defaults_are_wrong = true;
  const auto result = structural_schema(
      R"({"type": "object", "additionalProperties": false, "properties": {
          "a": {"type": "string", "minLength": 1}, "b": {"type": "string", "minLength": 1}}})",
      options);
  REQUIRE(result.ok());
  CHECK(result->schema.find("required")->to_string() == "- a\n");
}

TEST_CASE("A default is kept where values.yaml says the same") {
  const auto property = [](const std::string& schema, const std::string& defaults) {
    return schema_of(R"({"additionalProperties": false, "properties": {"a": )" + schema + "}}",
                     defaults);
  };
  const std::string head = "type: object\nproperties:\n  a:\n";
  const std::string nullable = head + "    nullable: true\n";
  CHECK(property(R"({"type": "number", "default": 5})", "{a: 5.0}") ==
        nullable + "    type: number\n    default: 5\n");
  CHECK(property(R"({"type": "object", "default": {}})", "{a: {b: 1}}") ==
        nullable + "    type: object\n    default: {}\n    " + std::string(kPreserveUnknown) +
            ": true\n");
  CHECK(property(R"({"type": "integer", "default": 5})", "{a: 1}") ==
        nullable + "    type: integer\n");
  CHECK(property(R"({"type": "integer", "default": "5"})", "{a: '5'}") ==
        nullable + "    type: integer\n");
  CHECK(property(R"({"type": "integer", "default": 5})", "null") ==
        head + "    type: integer\n    default: 5\n");
}

TEST_CASE("A default that would change the values is named with them") {
  const auto notes = [](const std::string& properties, const std::string& defaults) {
    return notes_of("{\n\"properties\": {" + properties + "}}", defaults);
  };
  CHECK(notes(R"("size": {"type": "integer", "default": 5})", "{size: 1}") ==
        Lines{"s.json:2:55: default 5 of .size is not taken over: values.yaml says 1"});
  CHECK(
      notes(R"("a": {"type": "array", "items": {"type": "string", "default": "x"}})", "{a: [x]}") ==
      Lines{"s.json:2:78: default \"x\" of .a[] is not taken over: values.yaml has no value "
            "there"});
  CHECK(notes(R"("a": {"additionalProperties": {"type": "string", "default": "x"}})", "{}") ==
        Lines{"s.json:2:76: default \"x\" of .a.* is not taken over: values.yaml has no value "
              "there"});
  CHECK(notes(R"("password": {"type": "string", "default": "hunter1"})", "{password: hunter2}") ==
        Lines{"s.json:2:58: default of .password is not taken over: values.yaml has another "
              "value"});
  CHECK(notes(R"("a": {"type": "object", "default": {"b": 1}})", "{a: {b: 1}}").empty());
}

TEST_CASE("References are followed, and endless ones end") {
  CHECK(schema_of(R"({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "boolean"}}})") ==
        "type: boolean\n");
  CHECK(schema_of(R"({"$ref": "#/x", "x": {"$ref": "#/x"}})") ==
        "x-kubernetes-preserve-unknown-fields: true\n");
  CHECK(schema_of(R"({"type": "array", "items": {"$ref": "#"}})").size() < 100'000);
}

TEST_CASE("A reference leads where Helm finds its schema") {
  const std::string more = R"(, "$defs": {"a b": {"$anchor": "c", "type": "string"}},
      "allOf": [{"type": "string"}]})";
  CHECK(schema_of(R"({"properties": {"x": {"$ref": "#/$defs/a%20b"}})" + more)
            .find("  x:\n    type: string\n") != std::string::npos);
  CHECK(schema_of(R"({"properties": {"x": {"$ref": "#/allOf/0"}})" + more)
            .find("  x:\n    type: string\n") != std::string::npos);
  CHECK(schema_of(R"({"properties": {"x": {"$ref": "#c"}})" + more)
            .find("  x:\n    type: string\n") != std::string::npos);
  // A schema with an identifier has definitions of its own.
  CHECK(schema_of(R"({"properties": {"x": {"$id": "https://example.com/x",
      "properties": {"z": {"$ref": "#/$defs/z"}}, "$defs": {"z": {"type": "string"}}}},
      "$defs": {"z": {"type": "integer"}}})")
            .find("      z:\n        type: string\n") != std::string::npos);
  CHECK(schema_of(R"({"properties": {"x": {"$ref": "https://example.com/y"}}, "$defs": {"y": {
      "$id": "https://example.com/y", "type": "string"}}})")
            .find("  x:\n    type: string\n") != std::string::npos);
}

TEST_CASE("A reference to a schema of any value does not lead elsewhere") {
  const std::string json = R"({"properties": {"x": {"$ref": "#/$defs/any"}}, "$defs": {"any": )";
  CHECK(notes_of(json + "true}}").empty());
  CHECK(notes_of(json + "{}}}").empty());
  CHECK(notes_of(R"({"properties": {"x": {"$ref": "#/$defs/none"}}})") ==
        Lines{"s.json:1:22: is not checked by the CRD: it refers elsewhere"});
}

TEST_CASE("A constant tells no type before draft 6") {
  CHECK(schema_of(R"({"$schema": "http://json-schema.org/draft-04/schema#", "const": "a"})") ==
        "x-kubernetes-preserve-unknown-fields: true\n");
  CHECK(schema_of(R"({"$schema": "http://json-schema.org/draft-06/schema#", "const": "a"})") ==
        "type: string\nenum:\n  - a\n");
}

TEST_CASE("A schema of some members is not that of each") {
  const std::string any_items =
      "type: array\nx-kubernetes-list-type: atomic\nitems:\n"
      "  x-kubernetes-preserve-unknown-fields: true\n";
  const std::string list =
      R"({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}})";
  CHECK(schema_of(list) == any_items);
  CHECK(notes_of(list) ==
        Lines{"s.json:1:65: is not checked by the CRD: all items of a list have one schema",
              "s.json:1:19: \"prefixItems\" is not checked by the CRD"});
  CHECK(schema_of(R"({"type": "object", "patternProperties": {"^x": {"type": "string"}},
                      "additionalProperties": {"type": "integer"}})") ==
        "type: object\nx-kubernetes-preserve-unknown-fields: true\n");
}

TEST_CASE("Fields of all schemas in force are kept") {
  const auto schema = [](const std::string& keywords) {
    const auto result = structural_schema(R"({"type": "object", )" + keywords + "}",
                                          {"s.json", {}, OpenTables::kPrune});
    REQUIRE(result.ok());
    return result->schema.to_string();
  };
  const std::string both = "type: object\nproperties:\n  a:\n    type: string\n";
  CHECK(schema(R"("allOf": [{"allOf": [{"properties": {"a": {"type": "string"}}}]}])") == both);
  CHECK(schema(R"("properties": {"b": {"$ref": "#/$defs/b",
                  "properties": {"c": {"type": "string"}}}},
                  "$defs": {"b": {"type": "object", "properties": {"d": {"type": "string"}}}})") ==
        "type: object\nproperties:\n  b:\n    type: object\n    properties:\n      d:\n"
        "        type: string\n      c:\n        type: string\n");
  const std::string open =
      "type: object\nproperties:\n  a:\n    x-kubernetes-preserve-unknown-fields: true\n";
  CHECK(schema(R"("anyOf": [{"allOf": [{"properties": {"a": {"type": "string"}}}]}])") == open);
  CHECK(schema(R"("dependentSchemas": {"b": {"properties": {"a": {}}}})") == open);
}

TEST_CASE("A schema that refers to itself twice stays within the limit of an API server") {
  const std::string json = R"({"type": "object", "additionalProperties": false, "properties": {
      "name": {"type": "string"}, "left": {"$ref": "#"}, "right": {"$ref": "#"}}})";
  const std::string schema = schema_of(json);
  CHECK(schema.size() < 1'000'000);
  CHECK(schema.size() > 10'000);
  CHECK(notes_of(json) == Lines{"s.json:1:1: is checked by the CRD to a depth of 10 only: the "
                                "schema is too large, or refers to itself"});
}

TEST_CASE("A schema that is met twice is named once") {
  CHECK(notes_of(R"({"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}},
 "$defs": {"x": {"type": "object", "if": {"minProperties": 1}, "then": false}}})") ==
        Lines{"s.json:2:36: \"if\" is not checked by the CRD: \"minProperties\" is among its "
              "rules"});
}

TEST_CASE("Parts that a schema composes are merged") {
  CHECK(schema_of(R"({"type": "object", "additionalProperties": false,
      "allOf": [{"properties": {"a": {"type": "string"}}}]})") ==
        "type: object\nproperties:\n  a:\n    type: string\n");
}

TEST_CASE("Unique scalars are a set") {
  CHECK(schema_of(R"({"type": "array", "uniqueItems": true, "items": {"type": "string"}})") ==
        "type: array\nx-kubernetes-list-type: set\nitems:\n  type: string\n");
}

TEST_CASE("Keys that a pattern allows are kept") {
  CHECK(schema_of(R"({"type": "object", "additionalProperties": false,
      "patternProperties": {"^x": {}}})") ==
        "type: object\nx-kubernetes-preserve-unknown-fields: true\n");
}

TEST_CASE("Fields that only a choice specifies are not dropped") {
  const auto result = structural_schema(
      R"({"type": "object", "properties": {"a": {"type": "string"}},
          "anyOf": [{"properties": {"b": {"type": "string"}}}]})",
      {"s.json", {}, OpenTables::kPrune});
  REQUIRE(result.ok());
  CHECK(result->schema.to_string() ==
        "type: object\nproperties:\n  a:\n    type: string\n  b:\n"
        "    x-kubernetes-preserve-unknown-fields: true\n");
}

TEST_CASE("Rules that a CRD cannot have are named with their place") {
  CHECK(notes_of("{\"type\": \"object\",\n \"if\": {}, \"patternProperties\": {}}") ==
        Lines{"s.json:2:12: \"patternProperties\" is not checked by the CRD"});
  CHECK(notes_of(R"({"type": "object", "oneOf": [{"required": ["a"]}]})") ==
        Lines{"s.json:1:20: \"oneOf\" is not checked by the CRD: \"a\" is not among the "
              "\"properties\" there"});
  CHECK(notes_of(R"({"minLength": 3})") ==
        Lines{"s.json:1:1: is not checked by the CRD: no type is given"});
  CHECK(notes_of(R"({"title": "anything", "default": 1})").empty());
  CHECK(notes_of(R"({"type": ["string", "boolean"]})") ==
        Lines{"s.json:1:1: is not checked by the CRD: a field of a CRD has one type"});
  CHECK(notes_of(R"({"$schema": "http://json-schema.org/draft-07/schema",
 "type": "array", "items": [{}]})") ==
        Lines{"s.json:2:28: is not checked by the CRD: all items of a list have one schema"});
}

TEST_CASE("A schema that is not JSON is an error with its place") {
  const auto result = structural_schema("{\"a\": [}", {"s.json", {}, OpenTables::kKeep});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().to_string().starts_with("s.json:1:"));
}

namespace {

std::string properties(int count, const std::string& schema) {
  std::string text = R"({"type":"object","properties":{)";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + schema;
  }
  return text + "}";
}

}  // namespace

TEST_CASE("A schema of many properties is converted in a time that grows with it") {
  const base::SystemClock clock;
  const auto seconds = [&](int count) {
    const base::Duration begun = clock.thread_cpu();
    std::string required;
    for (int i = 0; i < count; ++i) {
      required += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\"";
    }
    const auto result =
        convert(properties(count, R"({"type":"string"})") + ",\"required\":[" + required + "]}");
    CHECK(result.schema.find("properties")->has("k" + std::to_string(count - 1)));
    return std::chrono::duration<double>(clock.thread_cpu() - begun).count();
  };
  const double once = seconds(1'000);
  CHECK(seconds(6'000) < 6 * 3 * once);
}

TEST_CASE("Many properties that refer to one schema of many are left open") {
  const base::SystemClock clock;
  const base::Duration begun = clock.thread_cpu();
  const std::string many = properties(5'000, "true") + "}";
  const auto result = convert(properties(5'000, R"({"$ref":"#/definitions/many"})") +
                              R"(,"definitions":{"many":)" + many + "}}");
  CHECK(result.schema.find("properties")->has("k4999"));
  CHECK(clock.thread_cpu() - begun < std::chrono::seconds(20));
}

TEST_CASE("A schema that doubles with each level is not walked through") {
  std::string text = R"({"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}})";
  const auto notes = notes_of(text);
  CHECK(notes == Lines{"s.json:1:1: is checked by the CRD to a depth of 10 only: the schema is too "
                       "large, or refers to itself"});
}

}  // namespace chartwright::generate
