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
}  // namespace chartwright::bundle
