// SPDX-License-Identifier: Apache-2.0
#include "bundle/schema_conflicts.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::bundle {
namespace {

using value::testing::json;
using Texts = std::vector<std::string>;

Texts conflicts(std::string_view structural, std::string_view later) {
  const value::Value root = json(later);
  return schema_conflicts(json(structural), SchemaPlace(root, Unlisted::kKept), "spec", "v.json");
}

/// The conflicts of the schemas of one key.
Texts of_key(const std::string& structural, const std::string& later) {
  return conflicts(R"({"properties":{"a":)" + structural + "}}",
                   R"({"properties":{"a":)" + later + "}}");
}

TEST_CASE("A type of which no value is allowed later is a conflict") {
  CHECK(of_key(R"({"type":"string"})", R"({"type":"integer"})") ==
        Texts{"spec.a: the CRD wants a string, v.json an integer"});
  CHECK(of_key(R"({"type":"array"})", R"({"type":["object","null"]})") ==
        Texts{"spec.a: the CRD wants a list, v.json a map or null"});
  CHECK(of_key(R"({"x-kubernetes-int-or-string":true})", R"({"type":"boolean"})") ==
        Texts{"spec.a: the CRD wants an integer or a string, v.json a boolean"});
  const std::string allowed = GENERATE(R"({"type":"integer"})", R"({"type":"number"})", "{}",
                                       R"({"x-kubernetes-int-or-string":true})");
  CHECK(of_key(allowed, R"({"type":"integer"})").empty());
  CHECK(of_key(allowed, "{}").empty());
}

TEST_CASE("Schemas are compared as deep as both are known") {
  CHECK(conflicts(R"({"properties":{"a":{"items":{"properties":{"b":{"type":"string"}}}}}})",
                  R"({"properties":{"a":{"items":{"$ref":"#/$defs/x"}}},
                      "$defs":{"x":{"properties":{"b":{"type":"object"}}}}})") ==
        Texts{"spec.a[].b: the CRD wants a string, v.json a map"});
  CHECK(of_key(R"({"additionalProperties":{"type":"string"}})",
               R"({"additionalProperties":{"type":"integer"}})") ==
        Texts{"spec.a.*: the CRD wants a string, v.json an integer"});
  // A choice may allow anything.
  CHECK(
      of_key(R"({"type":"string"})", R"({"anyOf":[{"type":"integer"}],"type":"integer"})").empty());
}

TEST_CASE("A value of an enumeration that is refused later is a conflict") {
  CHECK(of_key(R"({"type":"string","enum":["s","m","l"]})", R"({"enum":["m","s"]})") ==
        Texts{R"(spec.a: the CRD allows "l", v.json only "m", "s")"});
  CHECK(of_key(R"({"enum":[1,"x"]})", R"({"type":"integer"})") ==
        Texts{R"(spec.a: the CRD allows "x", v.json only an integer)"});
  CHECK(of_key(R"({"enum":[1,null]})", R"({"enum":[1.0,2]})").empty());
  // A CRD may be stricter, or say nothing.
  CHECK(of_key(R"({"type":"string"})", R"({"enum":["m","s"]})").empty());
}

TEST_CASE("A default that is refused later is a conflict") {
  CHECK(of_key(R"({"default":"s"})", R"({"enum":["m"]})") ==
        Texts{R"(spec.a: the CRD has the default "s", v.json allows only "m")"});
  CHECK(of_key(R"({"default":2})", R"({"type":"integer"})").empty());
}

TEST_CASE("A key that is refused later is a conflict") {
  const std::string closed = R"({"additionalProperties":false,"properties":{"color":{}}})";
  CHECK(
      conflicts(R"({"properties":{"colour":{},"color":{},"global":{}}})", closed) ==
      Texts{
          R"(spec.colour: the CRD has this key, v.json does not allow it, did you mean "color"?)"});
  CHECK(conflicts(R"({"properties":{"x":{}}})", closed) ==
        Texts{"spec.x: the CRD has this key, v.json does not allow it"});
  CHECK(conflicts(R"({"properties":{"x":{}}})", R"({"properties":{"color":{}}})").empty());
}

}  // namespace
TEST_CASE("All schemas that are in force for a value are compared") {
  const std::string wants_text = R"({"type":"string"})";
  const auto with = [&](const std::string& later, const std::string& more) {
    return conflicts(R"({"properties":{"a":{"type":"string"}}})",
                     R"({"properties":{"a":)" + later + "}," + more + "}");
  };
  const Texts refused{"spec.a: the CRD wants a string, v.json an integer"};
  const std::string number = R"("$defs":{"a b":{"$anchor":"xitems","type":"integer"}})";
  const std::string draft = R"("$schema":"http://json-schema.org/draft-07/schema#",)";
  CHECK(with(R"({"$ref":"#/$defs/a%20b"})", number) == refused);
  CHECK(with(R"({"$ref":"#/allOf/0"})", R"("allOf":[{"type":"integer"}])") == refused);
  CHECK(with(R"({"allOf":[{"title":"x"},{"type":["integer"]}]})", number) == refused);
  CHECK(with(R"({"$ref":"#/$defs/x","type":"integer"})", R"("$defs":{"x":{}})") == refused);
  CHECK(with(R"({"$ref":"#/definitions/x","type":"integer"})", draft + R"("definitions":{"x":{}})")
            .empty());
  CHECK(with(R"({"$ref":"#xitems"})", number + R"(,"items":{"type":"string"})") == refused);
  CHECK(with(R"({"const":1})", number) == refused);
  CHECK(with(R"({"const":1})", R"("$schema":"http://json-schema.org/draft-04/schema#")").empty());
  CHECK(of_key(R"({"enum":["a","b"]})", R"({"const":"b"})") ==
        Texts{R"(spec.a: the CRD allows "a", v.json only "b")"});
}

TEST_CASE("A reference within a schema that has an identifier leads to a part of that one") {
  const std::string inner = R"({"$id":"https://example.com/inner","type":"object",
      "properties":{"b":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}})";
  const auto found = [&](const std::string& type) {
    return conflicts(R"({"properties":{"a":{"properties":{"b":{"type":")" + type + R"("}}}}})",
                     R"({"properties":{"a":)" + inner + R"(},"$defs":{"x":{"type":"integer"}}})");
  };
  CHECK(found("string").empty());
  CHECK(found("integer") == Texts{"spec.a.b: the CRD wants an integer, v.json a string"});
}

TEST_CASE("A schema of the items beyond the first ones is not that of each") {
  CHECK(of_key(R"({"items":{"type":"string"}})",
               R"({"prefixItems":[{"type":"string"}],"items":{"type":"integer"}})")
            .empty());
}

TEST_CASE("A key that a schema in force does not allow is a conflict") {
  CHECK(of_key(R"({"properties":{"one":{},"b":{}}})",
               R"({"properties":{"b":{}},"allOf":[{"properties":{"one":{}},
                   "additionalProperties":false}]})") ==
        Texts{"spec.a.b: the CRD has this key, v.json does not allow it"});
}

}  // namespace chartwright::bundle
