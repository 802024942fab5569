// SPDX-License-Identifier: Apache-2.0
#include "resource/field_changes.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"

namespace chartwright::op {
namespace {

using value::Value;
using value::testing::json;
using Lines = std::vector<std::string>;

std::string text_of(const std::optional<Value>& v) {
  return v ? CW_MUST(value::to_json(*v, value::JsonEscape::kNone)) : "nothing";
}

/// "path: before -> after" of each change, with the managers.
Lines changes(const Value& before, const Value& after) {
  Lines lines;
  for (const FieldChange& field : compare_fields(before, after).kept) {
    std::string line = field.path + ": " + text_of(field.before) + " -> " + text_of(field.after);
    for (const std::string& manager : field.managers) {
      line += " by " + manager;
    }
    lines.push_back(line + (field.secret ? " secret" : ""));
  }
  return lines;
}

Lines changes(std::string_view before, std::string_view after) {
  return changes(json(before), json(after));
}

TEST_CASE("Fields are compared by name, down to their leaves") {
  CHECK(changes(R"({"spec":{"a":1,"b":{"c":"x"},"same":[1]}})",
                R"({"spec":{"a":2,"b":{"d":"y"},"same":[1]}})") ==
        Lines{"spec.a: 1 -> 2", R"(spec.b.c: "x" -> nothing)", R"(spec.b.d: nothing -> "y")"});
  CHECK(changes(R"({"data":{"a":1}})", R"({"data":{"a":1}})").empty());
  CHECK(changes(R"({"data":{"a":{}}})", R"({"data":{"a":{"b":1}}})") ==
        Lines{"data.a.b: nothing -> 1"});
  CHECK(changes(R"({"data":{}})", R"({"data":{"a":{}}})") == Lines{"data.a: nothing -> {}"});
  CHECK(changes(R"({"data":{"a":1}})", R"({"data":{"a":"1"}})") == Lines{R"(data.a: 1 -> "1")"});
}

TEST_CASE("Names that are not bare are quoted") {
  CHECK(changes(R"({"data":{"a.b":1}})", R"({"data":{"a.b":2}})") ==
        Lines{R"(data["a.b"]: 1 -> 2)"});
  CHECK(changes(R"({"data":{"\u001b[31m":1}})", R"({"data":{}})") ==
        Lines{R"(data["\u001b[31m"]: 1 -> nothing)"});
}

TEST_CASE("Bookkeeping, identity and status are no changes") {
  CHECK(changes(R"({"apiVersion":"v1","metadata":{"name":"a","uid":"1","resourceVersion":"1",
                    "generation":1,"managedFields":[]},"status":{"a":1}})",
                R"({"apiVersion":"v2","metadata":{"name":"a","uid":"2","resourceVersion":"2",
                    "generation":2},"status":{"a":2}})")
            .empty());
  const Value made = json(R"({"metadata":{"ownerReferences":[{"uid":"1"}],"labels":{"a":"b"}}})");
  CHECK(changes(Value(), made) == Lines{R"(metadata.labels.a: nothing -> "b")"});
}

TEST_CASE("Items of a list are recognised by what identifies them") {
  const std::string before =
      R"({"spec":{"containers":[{"name":"web","image":"a"},{"name":"log","image":"l"}]}})";
  CHECK(changes(before, R"({"spec":{"containers":[{"name":"log","image":"l"},
                            {"name":"web","image":"b"},{"name":"new","image":"n"}]}})") ==
        Lines{R"(spec.containers[name=web].image: "a" -> "b")",
              R"(spec.containers[name=new].image: nothing -> "n")",
              R"(spec.containers[name=new].name: nothing -> "new")"});
  CHECK(changes(before, R"({"spec":{"containers":[{"name":"log","image":"l"},
                            {"name":"web","image":"a"}]}})") ==
        Lines{R"(spec.containers (order): ["web","log"] -> ["log","web"])"});
  CHECK(changes(R"({"ports":[{"port":80,"x":1}]})", R"({"ports":[{"port":80,"x":2}]})") ==
        Lines{"ports[port=80].x: 1 -> 2"});
}

TEST_CASE("Other lists are compared item by item, or whole") {
  CHECK(changes(R"({"rules":[{"verbs":["get"]},{"verbs":["list"]}]})",
                R"({"rules":[{"verbs":["get"]},{"verbs":["watch"]}]})") ==
        Lines{R"(rules[1].verbs: ["list"] -> ["watch"])"});
  CHECK(changes(R"({"args":["a","b"]})", R"({"args":["a"]})") ==
        Lines{R"(args: ["a","b"] -> ["a"])"});
  CHECK(changes(R"({"a":[{"name":"x"},{"name":"x"}]})", R"({"a":[{"name":"x"}]})") ==
        Lines{R"(a: [{"name":"x"},{"name":"x"}] -> [{"name":"x"}])"});
}

TEST_CASE("A field names the managers that are not us") {
  const Value before = json(R"({"metadata":{"managedFields":[
      {"manager":"chartwright","operation":"Apply","fieldsV1":
        {"f:spec":{"f:replicas":{},"f:paused":{},"f:containers":{"k:{\"name\":\"web\"}":{"f:image":{}}}}}},
      {"manager":"kubectl-edit","operation":"Update","fieldsV1":
        {"f:spec":{"f:replicas":{},"f:containers":{"k:{\"name\":\"web\"}":{"f:image":{}}}}}},
      {"manager":"hpa","operation":"Update","fieldsV1":{"f:spec":{"f:replicas":{}}}}]},
    "spec":{"replicas":1,"paused":true,"containers":[{"name":"web","image":"a"}]}})");
  const Value after =
      json(R"({"spec":{"replicas":2,"paused":false,"containers":[{"name":"web","image":"b"}]}})");
  CHECK(changes(before, after) ==
        Lines{R"(spec.containers[name=web].image: "a" -> "b" by kubectl-edit)",
              "spec.paused: true -> false", "spec.replicas: 1 -> 2 by kubectl-edit by hpa"});
}

TEST_CASE("The contents of a Secret are marked, also in what kubectl has applied") {
  const std::string secret = R"({"apiVersion":"v1","kind":"Secret","type":"a","data":{"p":"eA=="},
      "metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"eA=="}}})";
  const std::string other = R"({"apiVersion":"v1","kind":"Secret","type":"b","data":{"p":"eQ=="},
      "stringData":{"q":"z"},"metadata":{"annotations":{}}})";
  const auto found = compare_fields(json(secret), json(other)).kept;
  REQUIRE(found.size() == 4);
  for (const FieldChange& field : found) {
    CHECK(field.secret == (field.path != "type"));
  }
}

TEST_CASE("Very many changes are counted, and not kept") {
  Value before = Value::dict();
  Value after = Value::dict();
  for (size_t i = 0; i < kFieldsMax + 7; ++i) {
    before.mutable_dict().set("f" + std::to_string(i), Value::integer(1));
    after.mutable_dict().set("f" + std::to_string(i), Value::integer(2));
  }
  const FieldChanges found = compare_fields(before, after);
  CHECK(found.kept.size() == kFieldsMax);
  CHECK(found.left_out == 7);
}

TEST_CASE("Values nested deeply are compared whole") {
  Value before = Value::integer(1);
  Value after = Value::integer(2);
  for (int i = 0; i < 5000; ++i) {
    before = Value::dict({{"a", before}});
    after = Value::dict({{"a", after}});
  }
  CHECK(compare_fields(before, after).kept.size() == 1);
}

}  // namespace
}  // namespace chartwright::op
