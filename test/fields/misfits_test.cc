// SPDX-License-Identifier: Apache-2.0
#include "fields/misfits.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "kube/schema_refusal.h"
#include "test/value/json_text.h"

namespace chartwright::fields {
namespace {

using value::Value;
using value::testing::json;

/// Returns what is left of a body after the faults, one a line, and what was left out. The faults
/// are in the words of an API server.
std::string fitted(const char* text, const std::string& faults) {
  Value body = json(text);
  const base::Error refusal =
      base::Error(base::ErrorCode::kInvalid, "no")
          .with_causes(kube::schema_causes(
              "failed to create typed patch object (ns/web; v1, Kind=Web): errors:\n" + faults));
  const auto left_out = leave_misfits(refusal, body);
  return "left out: " + base::join(left_out.value_or(std::vector<std::string>()), "; ") + "\n" +
         CW_MUST(value::to_json(body));
}

TEST_CASE("A field that the schema lacks is left out") {
  CHECK(fitted(R"({"spec":{"labels":{"a":"b"},"type":"x"}})",
               ".spec.labels: field not declared in schema\n") == R"(left out: spec.labels
{"spec":{"type":"x"}})");
  CHECK(fitted(R"({"spec":{"containers":[{"name":"a","x":1},{"name":"b","x":2}]}})",
               R"(.spec.containers[name="b"].x: field not declared in schema)") ==
        R"(left out: spec.containers[name="b"].x
{"spec":{"containers":[{"name":"a","x":1},{"name":"b"}]}})");
  CHECK(fitted(R"({"spec":{"rules":[{"http":1},{"http":2,"x":3}]}})",
               ".spec.rules[1].x: field not declared in schema") ==
        R"(left out: spec.rules[1].x
{"spec":{"rules":[{"http":1},{"http":2}]}})");
  CHECK(fitted(R"({"spec":{"a.b/c":{"x":1,"y":2},"a":{"b/c":{"x":3}}}})",
               ".spec.a.b/c.x: field not declared in schema") == R"(left out: spec.a.b/c.x
{"spec":{"a":{"b/c":{}},"a.b/c":{"y":2}}})");
}

TEST_CASE("Of list items with one key the last stays") {
  CHECK(fitted(R"({"env":[{"name":"A","value":"1"},{"name":"B"},{"name":"A","value":"2"}]})",
               R"(.env: duplicate entries for key [name="A"])") ==
        R"(left out: env[name="A"], but for the last
{"env":[{"name":"B"},{"name":"A","value":"2"}]})");
  // Of three, the server names two.
  CHECK(fitted(R"({"env":[{"name":"A","value":"1"},{"name":"A","value":"2"},{"name":"A"}]})",
               ".env: duplicate entries for key [name=\"A\"]\n"
               ".env: duplicate entries for key [name=\"A\"]") ==
        R"(left out: env[name="A"], but for the last
{"env":[{"name":"A"}]})");
  CHECK(fitted(R"({"finalizers":["a/b","c","a/b"]})",
               R"(.finalizers: duplicate entries for key [="a/b"])") ==
        R"(left out: finalizers[="a/b"], but for the last
{"finalizers":["c","a/b"]})");
  CHECK(fitted(R"({"a":[{"k":"x,\"y]","on":true},{"k":"x,\"y]","on":true,"v":1}]})",
               R"(.a: duplicate entries for key [k="x,\"y]",on=true])") ==
        R"(left out: a[k="x,\"y]",on=true], but for the last
{"a":[{"k":"x,\"y]","on":true,"v":1}]})");
}

TEST_CASE("A field of a key that has a default may be missing") {
  CHECK(fitted(R"({"ports":[{"containerPort":80,"name":"a"},{"containerPort":80,"name":"b"}]})",
               R"(.ports: duplicate entries for key [containerPort=80,protocol="TCP"])") ==
        R"(left out: ports[containerPort=80,protocol="TCP"], but for the last
{"ports":[{"containerPort":80,"name":"b"}]})");
  // Two items that name it are meant, and not those of the default.
  CHECK(fitted(R"({"ports":[{"p":80},{"p":80,"q":"UDP","n":1},{"p":80,"q":"UDP","n":2}]})",
               R"(.ports: duplicate entries for key [p=80,q="UDP"])") ==
        R"(left out: ports[p=80,q="UDP"], but for the last
{"ports":[{"p":80},{"n":2,"p":80,"q":"UDP"}]})");
}

TEST_CASE("Several faults are left out together") {
  CHECK(fitted(R"({"spec":{"x":1,"env":[{"name":"A","y":1},{"name":"A","y":2}],"z":3}})",
               ".spec.x: field not declared in schema\n"
               ".spec.env[name=\"A\"].y: field not declared in schema\n"
               ".spec.env[name=\"A\"].y: field not declared in schema\n"
               ".spec.env: duplicate entries for key [name=\"A\"]\n") ==
        R"(left out: spec.env[name="A"], but for the last; spec.env[name="A"].y; spec.x
{"spec":{"env":[{"name":"A"}],"z":3}})");
}

TEST_CASE("A body with another fault stays as it is") {
  const char* body = R"({"spec":{"x":1,"replicas":"two"}})";
  const std::string same = std::string("left out: \n") + R"({"spec":{"replicas":"two","x":1}})";
  CHECK(fitted(body,
               ".spec.x: field not declared in schema\n"
               ".spec.replicas: expected numeric (int or float), got string") == same);
  CHECK(fitted(body, ".spec.y: field not declared in schema") == same);  // It has none.
  CHECK(fitted(body, ".spec: duplicate entries for key [name=\"A\"]") == same);
  CHECK(fitted(body, ".spec.x[: field not declared in schema") == same);
  CHECK(fitted(body, ".spec.x[name: field not declared in schema") == same);
  CHECK(fitted(body, "") == same);
}

TEST_CASE("A null that a custom resource may not have is left out without a word") {
  const auto left = [](const char* text, std::vector<base::ErrorCause> causes) -> std::string {
    Value body = json(text);
    const base::Error refusal =
        base::Error(base::ErrorCode::kInvalid, "no").with_causes(std::move(causes));
    const auto left_out = leave_misfits(refusal, body);
    return left_out ? std::to_string(left_out->size()) + " " + CW_MUST(value::to_json(body)) : "no";
  };
  const auto cause = [](const std::string& field, const std::string& got) {
    return base::ErrorCause{"FieldValueTypeInvalid",
                            "Invalid value: \"" + got + "\": " + field +
                                " in body must be of type object: \"" + got + "\"",
                            field};
  };
  CHECK(left(R"({"spec":{"a":null,"l":[{"b":null},{"c":1}]}})",
             {cause("spec.a", "null"), cause("spec.l[0].b", "null")}) ==
        R"(0 {"spec":{"l":[{},{"c":1}]}})");
  const base::ErrorCause remark{
      "FieldValueInvalid",
      "Invalid value: null: some validation rules were not checked because "
      "the object was invalid; correct the existing errors to complete "
      "validation",
      "<nil>"};
  CHECK(left(R"({"spec":{"a":null}})", {cause("spec.a", "null"), remark}) == R"(0 {"spec":{}})");
  CHECK(left(R"({"spec":{"a":null}})", {remark}) == "no");
  CHECK(left(R"({"spec":{"a":"null"}})", {cause("spec.a", "null")}) == "no");
  CHECK(left(R"({"spec":{"a":null,"b":1}})", {cause("spec.a", "null"), cause("spec.b", "1")}) ==
        "no");
}

TEST_CASE("A text about what was left out is bounded, and keeps its places") {
  CHECK(left_out_text({}, "a (x:1)").empty());
  CHECK(left_out_text({"a", "b"}, "") == "a; b");
  CHECK(left_out_text({"a", "b"}, "a (x:1); b (y:2)") == "a (x:1); b (y:2)");
  CHECK(left_out_text({"a"}, "a (x:1); b (y:2)") == "a");
  const std::string many = left_out_text(std::vector<std::string>(12, std::string(400, 'a')), "");
  CHECK(many.size() < size_t{10} * 310);
  CHECK(many.ends_with("; and 2 more"));
}

TEST_CASE("Each part that was left out gets the place that is known") {
  const auto place = [](std::string_view part) -> std::string {
    if (part == "b") {
      return std::string(500, 'p');
    }
    return part == "a[k=\"x; y\"]" ? "t.yaml:3" : "";
  };
  CHECK(with_places("a[k=\"x; y\"] (old:1); c (old:2)", place) == "a[k=\"x; y\"] (t.yaml:3); c");
  CHECK(with_places("b", place).size() < 210);
  CHECK(with_places("", place).empty());
}

TEST_CASE("A part that was left out is found in the object") {
  const Value object =
      json(R"({"a":{"b.c":1},"env":[{"name":"A"},{"name":"B","x":1},{"name":"B"}]})");
  const auto found = [&object](std::string_view part) {
    const auto place = place_of_left_out(part, object);
    return place ? place->to_string() : "";
  };
  CHECK(found("a.b.c") == value::Path({"a", "b.c"}).to_string());
  CHECK(found(R"(env[name="B"].x)") == "env[1].x");
  CHECK(found(R"(env[name="B"], but for the last)") == "env[1]");
  CHECK(found("env[0].y").empty());
  CHECK(found("and 3 more").empty());
}

}  // namespace
}  // namespace chartwright::fields
