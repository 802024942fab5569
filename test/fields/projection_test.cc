// SPDX-License-Identifier: Apache-2.0
#include "fields/projection.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::fields {
namespace {

using value::testing::json;

// Returns an object whose only managedFields entry is ours, with these fields.
value::Value object_with(std::string_view fields, std::string_view spec) {
  return json(
      R"({"apiVersion":"v1","kind":"X","metadata":{"managedFields":[{"manager":"chartwright",
    "operation":"Apply","apiVersion":"v1","fieldsV1":)" +
      std::string(fields) + R"(}]},"spec":)" + std::string(spec) + "}");
}

std::string digest(std::string_view fields, std::string_view spec) {
  return projection_digest(object_with(fields, spec), "chartwright").value();
}

TEST_CASE("Only the fields of our entry count") {
  constexpr std::string_view kFields = R"({"f:spec":{"f:a":{}}})";
  CHECK(digest(kFields, R"({"a":1,"b":1})") == digest(kFields, R"({"a":1,"b":2})"));
  CHECK(digest(kFields, R"({"a":1})") != digest(kFields, R"({"a":2})"));
  CHECK(digest(kFields, R"({"a":1})") != digest(kFields, R"({})"));
}

TEST_CASE("A set that shrank is another projection, though every value is the same") {
  CHECK(digest(R"({"f:spec":{"f:a":{},"f:b":{}}})", R"({"a":1,"b":1})") !=
        digest(R"({"f:spec":{"f:a":{}}})", R"({"a":1,"b":1})"));
}

TEST_CASE("Items of associative lists are found by their keys, in any order") {
  constexpr std::string_view kFields =
      R"({"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}}}}})";
  CHECK(digest(kFields, R"({"ports":[{"port":80,"protocol":"TCP","name":"a"},{"port":1}]})") ==
        digest(kFields, R"({"ports":[{"port":1},{"port":80,"protocol":"TCP","name":"a","x":1}]})"));
  CHECK(digest(kFields, R"({"ports":[{"port":80,"protocol":"TCP","name":"a"}]})") !=
        digest(kFields, R"({"ports":[{"port":80,"protocol":"TCP","name":"b"}]})"));
  CHECK(digest(kFields, R"({"ports":[{"port":80,"protocol":"TCP","name":"a"}]})") !=
        digest(kFields, R"({"ports":[]})"));
}

TEST_CASE("A field is ours if our entry has it, or something that contains it whole") {
  const auto owns = [](std::string_view fields, std::string_view spec, std::string_view path) {
    return owns_field(object_with(fields, spec), "chartwright", CW_MUST(value::Path::parse(path)));
  };
  CHECK(owns(R"({"f:spec":{"f:a":{}}})", R"({"a":1})", "spec.a"));
  CHECK_FALSE(owns(R"({"f:spec":{"f:a":{}}})", R"({"a":1,"b":1})", "spec.b"));
  CHECK_FALSE(owns(R"({"f:spec":{"f:a":{}}})", "{}", "spec.a"));
  CHECK(owns(R"({"f:spec":{"f:a":{"f:b":{}}}})", R"({"a":{"b":1}})", "spec.a"));
  // An atomic map or list is a leaf of the set.
  CHECK(owns(R"({"f:spec":{"f:a":{}}})", R"({"a":{"b":[1]}})", "spec.a.b[0]"));
  CHECK_FALSE(owns("{}", R"({"a":1})", "spec.a"));
  constexpr std::string_view kPorts =
      R"({"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{},"f:name":{}},"v:\"x\"":{}}}})";
  constexpr std::string_view kSpec =
      R"({"ports":[{"port":1,"name":"b"},{"port":80,"name":"a"},"x","y"]})";
  CHECK(owns(kPorts, kSpec, "spec.ports[1].name"));
  CHECK_FALSE(owns(kPorts, kSpec, "spec.ports[0].name"));
  CHECK_FALSE(owns(kPorts, kSpec, "spec.ports[1].port"));
  CHECK(owns(kPorts, kSpec, "spec.ports[2]"));
  CHECK_FALSE(owns(kPorts, kSpec, "spec.ports[3]"));
  CHECK_FALSE(owns(kPorts, kSpec, "spec.ports[4]"));
  CHECK_FALSE(owns_field(json(R"({"spec":{"a":1}})"), "chartwright",
                         CW_MUST(value::Path::parse("spec.a"))));
}

TEST_CASE("Members of sets count by presence") {
  constexpr std::string_view kFields = R"({"f:spec":{"f:fin":{"v:\"x\"":{}}}})";
  CHECK(digest(kFields, R"({"fin":["x","y"]})") == digest(kFields, R"({"fin":["x"]})"));
  CHECK(digest(kFields, R"({"fin":["x"]})") != digest(kFields, R"({"fin":["y"]})"));
}

TEST_CASE(
    "Without an entry of ours for this version and the main resource there is no projection") {
  auto with_entry = [](std::string_view entry) {
    return json(R"({"apiVersion":"v1","metadata":{"managedFields":[)" + std::string(entry) + "]}}");
  };
  for (
      std::string_view entry :
      {R"({"manager":"kubectl","operation":"Apply","apiVersion":"v1","fieldsV1":{}})",
       R"({"manager":"chartwright","operation":"Update","apiVersion":"v1","fieldsV1":{}})",
       R"({"manager":"chartwright","operation":"Apply","apiVersion":"v2","fieldsV1":{}})",
       R"({"manager":"chartwright","operation":"Apply","apiVersion":"v1","subresource":"status","fieldsV1":{}})",
       R"({"manager":"chartwright","operation":"Apply","apiVersion":"v1"})"}) {
    INFO(entry);
    CHECK_FALSE(projection_digest(with_entry(entry), "chartwright").has_value());
  }
  CHECK_FALSE(projection_digest(json("{}"), "chartwright").has_value());
  CHECK_FALSE(projection_digest(json("[1]"), "chartwright").has_value());
}

TEST_CASE("A hostile field set cannot exhaust the stack") {
  std::string fields;
  for (int i = 0; i < 5000; ++i) {
    fields += R"({"f:a":)";
  }
  fields += "{}" + std::string(5000, '}');
  CHECK(projection_digest(object_with(fields, "{}"), "chartwright").has_value());
}

TEST_CASE("Fields of a partial object are compared by meaning") {
  const value::Value live = json(
      R"({"spec":{"resources":{"requests":{"storage":"2Gi"}},"n":1},"metadata":{"name":"a"}})");
  CHECK(already_holds(live, json(R"({"spec":{"resources":{"requests":{"storage":"2048Mi"}}}})")));
  CHECK(already_holds(live, json(R"({"spec":{"n":1.0}})")));
  CHECK_FALSE(
      already_holds(live, json(R"({"spec":{"resources":{"requests":{"storage":"3Gi"}}}})")));
  CHECK_FALSE(already_holds(live, json(R"({"spec":{"missing":1}})")));
  CHECK_FALSE(already_holds(live, json(R"({"spec":{"n":{"deep":1}}})")));
}

TEST_CASE("Keys of a field set that say nothing readable count as absent") {
  constexpr std::string_view kSpec = R"({"ports":[{"port":80}]})";
  for (std::string_view key : {R"(k:{)", R"(k:[1])", R"(k:)"}) {
    INFO(key);
    value::Value inner = value::Value::dict();
    inner.mutable_dict().set(key, json(R"({"f:port":{}})"));
    const value::Value fields =
        value::Value::dict({{"f:spec", value::Value::dict({{"f:ports", inner}})}});
    const std::string text = CW_MUST(value::to_json(fields));
    CHECK(digest(text, kSpec) == digest(text, "{}"));
  }
  // An associative list that is no longer a list.
  constexpr std::string_view kKeyed = R"({"f:spec":{"f:ports":{"k:{\"port\":80}":{"f:port":{}}}}})";
  CHECK(digest(kKeyed, R"({"ports":"gone"})") == digest(kKeyed, "{}"));
  CHECK(digest(kKeyed, R"({"ports":"gone"})") != digest(kKeyed, kSpec));
}

}  // namespace
}  // namespace chartwright::fields
