// SPDX-License-Identifier: Apache-2.0
#include "release/managed_fields.h"

#include <catch2/catch.hpp>

#include "release/projection.h"
#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;
using value::Value;

Value entry(const std::string& manager, const std::string& operation, const std::string& fields,
            const std::string& more = "") {
  return json(R"({"manager":")" + manager + R"(","operation":")" + operation +
              R"(","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":)" + fields + more + "}");
}

Value object_with(std::vector<Value> entries) {
  Value object = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},
                          "data":{"k":"1","l":"2","m":"3"}})");
  object.find("metadata")->mutable_dict().set("managedFields", Value::list(std::move(entries)));
  return object;
}

Value taken_over(std::vector<Value> entries) {
  return managed_fields_after_takeover(object_with(std::move(entries)));
}

void check_same(const Value& a, const Value& b) {
  CHECK(value::to_json(a, value::JsonEscape::kNone).value() ==
        value::to_json(b, value::JsonEscape::kNone).value());
}

TEST_CASE("The fields of helm-operator become ours, those of others do not") {
  const Value others = entry("kubectl-edit", "Update", R"({"f:data":{"f:m":{}}})");
  const Value taken = taken_over(
      {others, entry("helm-operator", "Update", R"({"f:data":{".":{},"f:k":{},"f:l":{}}})")});
  check_same(taken, Value::list({others, entry("chartwright", "Apply",
                                               R"({"f:data":{".":{},"f:k":{},"f:l":{}}})")}));
}

TEST_CASE("They are united with those that are ours already") {
  const Value taken =
      taken_over({entry("chartwright", "Apply", R"({"f:data":{"f:k":{}},"f:x":{}})"),
                  entry("helm-operator", "Update", R"({"f:data":{"f:l":{}}})")});
  check_same(
      taken,
      Value::list({entry("chartwright", "Apply", R"({"f:data":{"f:k":{},"f:l":{}},"f:x":{}})")}));
}

TEST_CASE("Fields that are still encoded are decoded") {
  Value encoded = entry("helm-operator", "Update", "{}");
  encoded.mutable_dict().set("fieldsV1", Value::string(R"({"f:data":{"f:k":{}}})"));
  check_same(taken_over({encoded}),
             Value::list({entry("chartwright", "Apply", R"({"f:data":{"f:k":{}}})")}));
}

TEST_CASE("There is nothing to take over") {
  CHECK(managed_fields_after_takeover(json("{}")).is_nil());
  CHECK(taken_over({}).is_nil());
  CHECK(taken_over({entry("kubectl", "Update", "{}")}).is_nil());
  CHECK(taken_over({entry("helm-operator", "Apply", "{}")}).is_nil());
  CHECK(
      taken_over({entry("helm-operator", "Update", "{}", R"(,"subresource":"status")")}).is_nil());
}

TEST_CASE("Fields of another version of the kind stay where they are") {
  Value newer = entry("helm-operator", "Update", R"({"f:data":{"f:l":{}}})");
  newer.mutable_dict().set("apiVersion", Value::string("v2"));
  CHECK(taken_over({entry("chartwright", "Apply", R"({"f:data":{"f:k":{}}})"), newer}).is_nil());
}

TEST_CASE("The fields taken over are those that an apply looks at") {
  Value live = object_with({entry("helm-operator", "Update", R"({"f:data":{"f:k":{}}})")});
  CHECK_FALSE(projection_digest(live, "chartwright"));
  live.find("metadata")->mutable_dict().set("managedFields", managed_fields_after_takeover(live));
  CHECK(projection_digest(live, "chartwright"));
}

TEST_CASE("A live object holds what is desired, with more beside it") {
  const auto check = [](const char* live, const char* desired) {
    return holds(json(live), json(desired));
  };
  CHECK(check(R"({"a":1,"b":2})", R"({"a":1})"));
  CHECK(check(R"({"l":[{"name":"x","default":true}]})", R"({"l":[{"name":"x"}]})"));
  CHECK(check(R"({"memory":"1Gi"})", R"({"memory":"1024Mi"})"));
  CHECK_FALSE(check(R"({"a":1})", R"({"a":2})"));
  CHECK_FALSE(check(R"({})", R"({"a":1})"));
  CHECK_FALSE(check(R"({"l":[{"name":"x"},{"name":"y"}]})", R"({"l":[{"name":"x"}]})"));
  CHECK_FALSE(check(R"({"l":[{"name":"y"}]})", R"({"l":[{"name":"x"}]})"));
  CHECK_FALSE(check(R"({"l":{}})", R"({"l":[]})"));
}

}  // namespace
}  // namespace chartwright::release
