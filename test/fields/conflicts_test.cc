// SPDX-License-Identifier: Apache-2.0
#include "fields/conflicts.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::fields {
namespace {

using value::Value;
using value::testing::json;

constexpr std::string_view kOwnManager = "chartwright-000000000001";

// Returns what is left of `partial`, and the conflicts, beside an object of which another custom
// resource has set `fields`.
std::string left_of(const char* partial, const char* live, const std::string& fields,
                    const std::string& manager = "chartwright-000000000002") {
  const Value object = json(live);
  Value entry = json(R"({"operation":"Apply","apiVersion":"v1","fieldsV1":)" + fields + "}");
  entry.mutable_dict().set("manager", Value::string(manager));
  object.mutable_dict().set("metadata", Value::dict({{"managedFields", Value::list({entry})}}));
  Value body = json(partial);
  std::string text;
  for (const FieldConflict& conflict : leave_conflicts(object, kOwnManager, body)) {
    CHECK(conflict.manager == manager);
    text += conflict.path + " ";
  }
  return text + CW_MUST(value::to_json(body));
}

TEST_CASE("A field that another custom resource has set otherwise is left to it") {
  CHECK(left_of(R"({"data":{"a":"1","b":"2"}})", R"({"data":{"a":"x","b":"2"}})",
                R"({"f:data":{"f:a":{},"f:b":{}}})") == R"(data.a {"data":{"b":"2"}})");
  CHECK(left_of(R"({"data":{"a":"1"}})", R"({"data":{"a":"x"}})", R"({"f:data":{"f:a":{}}})") ==
        "data.a {}");  // An empty dict would be set as a whole.
  CHECK(left_of(R"({"spec":{"a":{"b":1}}})", R"({"spec":{"a":2}})", R"({"f:spec":{"f:a":{}}})") ==
        "spec.a {}");
}

TEST_CASE("Other fields, and those of the same value, are set") {
  CHECK(left_of(R"({"data":{"a":"1"}})", R"({"data":{"a":"x","b":"2"}})",
                R"({"f:data":{"f:b":{}}})") == R"({"data":{"a":"1"}})");
  CHECK(left_of(R"({"spec":{"size":"1Gi"}})", R"({"spec":{"size":"1024Mi"}})",
                R"({"f:spec":{"f:size":{}}})") == R"({"spec":{"size":"1Gi"}})");
}

TEST_CASE("Only other custom resources count") {
  for (const char* manager : {"kubectl", "chartwright", "chartwright-000000000001",
                              "chartwright-views", "chartwright-crds-a"}) {
    CHECK(left_of(R"({"data":{"a":"1"}})", R"({"data":{"a":"x"}})", R"({"f:data":{"f:a":{}}})",
                  manager) == R"({"data":{"a":"1"}})");
  }
}

TEST_CASE("Items of a list are compared by their keys, a list without keys as a whole") {
  const char* live = R"({"ports":[{"p":80,"n":"a"},{"p":81,"n":"b"}],"set":[1,2],"plain":[1]})";
  CHECK(left_of(
            R"({"ports":[{"p":81,"n":"z"},{"p":80,"n":"a"},{"p":82,"n":"c"}]})", live,
            R"({"f:ports":{"k:{\"p\":80}":{".":{},"f:n":{}},"k:{\"p\":81}":{".":{},"f:n":{}}}})") ==
        R"(ports[0].n {"ports":[{"p":81},{"n":"a","p":80},{"n":"c","p":82}]})");
  CHECK(left_of(R"({"set":[2,3]})", live, R"({"f:set":{"v:1":{},"v:2":{}}})") ==
        R"({"set":[2,3]})");
  CHECK(left_of(R"({"plain":[2],"x":1})", live, R"({"f:plain":{}})") == R"(plain {"x":1})");
}

}  // namespace
}  // namespace chartwright::fields
