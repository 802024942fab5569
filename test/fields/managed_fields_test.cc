// SPDX-License-Identifier: Apache-2.0
#include "fields/managed_fields.h"

#include <catch2/catch.hpp>

#include "fields/projection.h"
#include "test/value/json_text.h"

namespace chartwright::fields {
namespace {

using value::Value;
using value::testing::json;

const std::string kOurManager = "chartwright-c9d45b970e86";

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
  return managed_fields_after_takeover(object_with(std::move(entries)), kOurManager);
}

void check_same(const Value& a, const Value& b) {
  CHECK(value::to_json(a, value::JsonEscape::kNone).value() ==
        value::to_json(b, value::JsonEscape::kNone).value());
}

TEST_CASE("The fields of helm-operator become ours, those of others do not") {
  const Value others = entry("kubectl-edit", "Update", R"({"f:data":{"f:m":{}}})");
  const Value taken = taken_over(
      {others, entry("helm-operator", "Update", R"({"f:data":{".":{},"f:k":{},"f:l":{}}})")});
  check_same(taken, Value::list({others, entry(kOurManager, "Apply",
                                               R"({"f:data":{".":{},"f:k":{},"f:l":{}}})")}));
}

TEST_CASE("They are united with those that are ours already") {
  const Value taken = taken_over({entry(kOurManager, "Apply", R"({"f:data":{"f:k":{}},"f:x":{}})"),
                                  entry("helm-operator", "Update", R"({"f:data":{"f:l":{}}})")});
  check_same(
      taken,
      Value::list({entry(kOurManager, "Apply", R"({"f:data":{"f:k":{},"f:l":{}},"f:x":{}})")}));
}

TEST_CASE("Fields that are still encoded are decoded") {
  Value encoded = entry("helm-operator", "Update", "{}");
  encoded.mutable_dict().set("fieldsV1", Value::string(R"({"f:data":{"f:k":{}}})"));
  check_same(taken_over({encoded}),
             Value::list({entry(kOurManager, "Apply", R"({"f:data":{"f:k":{}}})")}));
}

TEST_CASE("There is nothing to take over") {
  CHECK(managed_fields_after_takeover(json("{}"), kOurManager).is_nil());
  CHECK(taken_over({}).is_nil());
  CHECK(taken_over({entry("kubectl", "Update", "{}")}).is_nil());
  CHECK(taken_over({entry("helm-operator", "Apply", "{}")}).is_nil());
  CHECK(
      taken_over({entry("helm-operator", "Update", "{}", R"(,"subresource":"status")")}).is_nil());
}

TEST_CASE("Fields of another version of the kind stay where they are") {
  Value newer = entry("helm-operator", "Update", R"({"f:data":{"f:l":{}}})");
  newer.mutable_dict().set("apiVersion", Value::string("v2"));
  CHECK(taken_over({entry(kOurManager, "Apply", R"({"f:data":{"f:k":{}}})"), newer}).is_nil());
}

TEST_CASE("After an apply, fields of another version become ours, one version after another") {
  const auto of_version = [](Value fields, const std::string& version) {
    fields.mutable_dict().set("apiVersion", Value::string(version));
    return fields;
  };
  const Value others = entry("kubectl-edit", "Update", R"({"f:data":{"f:m":{}}})");
  const Value ours = entry(kOurManager, "Apply", R"({"f:data":{"f:k":{}}})");
  const Value newer = of_version(entry("helm", "Update", R"({"f:data":{"f:l":{}}})"), "v2");
  const Value newer_operator = of_version(entry("helm-operator", "Update", R"({"f:x":{}})"), "v2");
  const Value same = entry("helm", "Update", R"({"f:y":{}})");
  const Value first = managed_fields_after_apply(
      object_with({others, newer, ours, same, newer_operator}), kOurManager);
  check_same(
      first,
      Value::list(
          {others, same,
           of_version(entry(kOurManager, "Apply", R"({"f:data":{"f:l":{}},"f:x":{}})"), "v2")}));
  const Value second = managed_fields_after_apply(object_with({others, same, ours}), kOurManager);
  check_same(
      second,
      Value::list({others, entry(kOurManager, "Apply", R"({"f:data":{"f:k":{}},"f:y":{}})")}));
  CHECK(managed_fields_after_apply(object_with({others, ours}), kOurManager).is_nil());
}

TEST_CASE("The fields taken over are those that an apply looks at") {
  Value live = object_with({entry("helm-operator", "Update", R"({"f:data":{"f:k":{}}})")});
  CHECK_FALSE(projection_digest(live, kOurManager));
  live.find("metadata")
      ->mutable_dict()
      .set("managedFields", managed_fields_after_takeover(live, kOurManager));
  CHECK(projection_digest(live, kOurManager));
}

std::string with_items(std::vector<Value> entries, const std::vector<std::string>& fields) {
  return CW_MUST(value::to_json(
      managed_fields_with_items(object_with(std::move(entries)), kOurManager, fields)));
}

std::string text_of(std::vector<Value> entries) {
  return CW_MUST(value::to_json(Value::list(std::move(entries))));
}

TEST_CASE("Items of the list in question move from others to us, and nothing else") {
  const Value ours = entry(
      kOurManager, "Apply",
      R"({"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{},"f:name":{}}},"f:sets":{"v:1":{}}}})");
  const Value theirs = entry("edit", "Update",
                             R"({"f:spec":{"f:ips":{"v:\"1.2.3.4\"":{}},
          "f:ports":{".":{},"k:{\"port\":80}":{"f:nodePort":{}},"k:{\"port\":81}":{".":{},"f:name":{}}}}})");
  CHECK(with_items({ours, theirs}, {"spec.ports[1].name"}) ==
        text_of({entry(kOurManager, "Apply",
                       R"({"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{},"f:name":{}},
                           "k:{\"port\":81}":{".":{},"f:name":{}}},"f:sets":{"v:1":{}}}})"),
                 entry("edit", "Update",
                       R"({"f:spec":{"f:ips":{"v:\"1.2.3.4\"":{}},
                           "f:ports":{".":{},"k:{\"port\":80}":{"f:nodePort":{}}}}})")}));
  CHECK(with_items({ours, theirs}, {"spec.ports[0]"}) ==
        with_items({ours, theirs}, {"spec.ports[1].name"}));
}

TEST_CASE("A list in items of another list is that of our items") {
  const Value ours =
      entry(kOurManager, "Apply",
            R"({"f:c":{"k:{\"name\":\"web\"}":{"f:ports":{"k:{\"p\":80}":{".":{}}}}}})");
  const Value theirs = entry("edit", "Update",
                             R"({"f:c":{"k:{\"name\":\"side\"}":{"f:ports":{"k:{\"p\":9}":{}}},
                                 "k:{\"name\":\"web\"}":{"f:ports":{"k:{\"p\":81}":{}}}}})");
  CHECK(with_items({theirs, ours}, {"c[0].ports[1].name"}) ==
        text_of({entry("edit", "Update",
                       R"({"f:c":{"k:{\"name\":\"side\"}":{"f:ports":{"k:{\"p\":9}":{}}}}})"),
                 entry(kOurManager, "Apply",
                       R"({"f:c":{"k:{\"name\":\"web\"}":{"f:ports":{"k:{\"p\":80}":{".":{}},
                           "k:{\"p\":81}":{}}}}})")}));
}

TEST_CASE("A list that has nothing of ours any more becomes ours, and an empty entry goes") {
  CHECK(with_items({entry(kOurManager, "Apply", R"({"f:spec":{"f:type":{}}})"),
                    entry("edit", "Update", R"({"f:spec":{"f:ports":{"k:{\"p\":81}":{}}}})")},
                   {"spec.ports[0].name", "spec.other[1]"}) ==
        text_of({entry(kOurManager, "Apply",
                       R"({"f:spec":{"f:type":{},"f:ports":{"k:{\"p\":81}":{}}}})")}));
}

TEST_CASE("There are no items to move") {
  const Value ours = entry(kOurManager, "Apply", R"({"f:spec":{"f:ports":{"k:{\"p\":80}":{}}}})");
  const std::string items = R"({"f:spec":{"f:ports":{"k:{\"p\":81}":{}}}})";
  Value newer = entry("edit", "Update", items);
  newer.mutable_dict().set("apiVersion", Value::string("v2"));
  const Value of_status = entry("edit", "Update", items, R"(,"subresource":"status")");
  const std::vector<std::string> fields = {"spec.ports[1].name"};
  CHECK(managed_fields_with_items(object_with({ours}), kOurManager, fields).is_nil());
  CHECK(managed_fields_with_items(object_with({ours, newer, of_status}), kOurManager, fields)
            .is_nil());
  CHECK(
      managed_fields_with_items(object_with({entry("edit", "Update", items)}), kOurManager, fields)
          .is_nil());
  CHECK(managed_fields_with_items(object_with({ours, entry("edit", "Update", items)}), kOurManager,
                                  {"spec.more[1].name"})
            .is_nil());
}

TEST_CASE("The fields of a child that all custom resources had in common become its owner's") {
  const Value others = entry("kubectl-edit", "Update", R"({"f:data":{"f:m":{}}})");
  const std::string fields = R"({"f:data":{"f:k":{},"f:l":{}}})";
  check_same(taken_over({others, entry("chartwright", "Apply", fields)}),
             Value::list({others, entry(kOurManager, "Apply", fields)}));
  SECTION("with those that it has already") {
    check_same(taken_over({entry("chartwright", "Apply", R"({"f:data":{"f:k":{}}})"),
                           entry(kOurManager, "Apply", R"({"f:data":{"f:l":{}}})")}),
               Value::list({entry(kOurManager, "Apply", fields)}));
  }
  SECTION("not those of our other writes") {
    CHECK(taken_over({entry("chartwright", "Update", fields)}).is_nil());
    CHECK(taken_over({entry("chartwright-crds-a", "Apply", fields)}).is_nil());
  }
}

std::string shared_moved(std::vector<Value> entries, const char* partial) {
  const Value moved =
      managed_fields_with_shared(object_with(std::move(entries)), json(partial), kOurManager);
  return moved.is_nil() ? "nothing" : CW_MUST(value::to_json(moved));
}

TEST_CASE("Of fields that all custom resources had in common, a patch takes its own") {
  const Value shared = entry("chartwright", "Apply",
                             R"({"f:data":{"f:k":{},"f:l":{}},
          "f:ports":{"k:{\"p\":80}":{".":{},"f:name":{},"f:node":{}},"k:{\"p\":81}":{".":{}}},
          "f:set":{"v:1":{},"v:2":{}}})");
  CHECK(shared_moved({shared}, R"({"data":{"k":"other"}})") ==
        text_of({entry("chartwright", "Apply",
                       R"({"f:data":{"f:l":{}},
          "f:ports":{"k:{\"p\":80}":{".":{},"f:name":{},"f:node":{}},"k:{\"p\":81}":{".":{}}},
          "f:set":{"v:1":{},"v:2":{}}})"),
                 entry(kOurManager, "Apply", R"({"f:data":{"f:k":{}}})")}));
  CHECK(
      shared_moved({shared}, R"({"ports":[{"p":80,"name":"x"}],"set":[2]})") ==
      text_of({entry("chartwright", "Apply",
                     R"({"f:data":{"f:k":{},"f:l":{}},
          "f:ports":{"k:{\"p\":80}":{".":{},"f:node":{}},"k:{\"p\":81}":{".":{}}},
          "f:set":{"v:1":{}}})"),
               entry(kOurManager, "Apply",
                     R"({"f:ports":{"k:{\"p\":80}":{"f:name":{},".":{}}},"f:set":{"v:2":{}}})")}));
  SECTION("all of them, and none is left") {
    CHECK(shared_moved({entry("chartwright", "Apply", R"({"f:data":{"f:k":{}}})"),
                        entry(kOurManager, "Apply", R"({"f:data":{"f:l":{}}})")},
                       R"({"data":{"k":"1","l":"2"}})") ==
          text_of({entry(kOurManager, "Apply", R"({"f:data":{"f:k":{},"f:l":{}}})")}));
  }
  SECTION("none") {
    CHECK(shared_moved({shared}, R"({"data":{"z":"1"}})") == "nothing");
    CHECK(shared_moved({shared}, R"({"data":"text"})") == "nothing");
    CHECK(shared_moved({entry("kubectl", "Apply", R"({"f:data":{"f:k":{}}})")},
                       R"({"data":{"k":"1"}})") == "nothing");
    CHECK(shared_moved({}, R"({"data":{"k":"1"}})") == "nothing");
  }
}

TEST_CASE("A field manager ends without any other change") {
  const Value others = entry("kubectl", "Apply", R"({"f:data":{"f:m":{}}})");
  const Value own = entry(kOurManager, "Apply", R"({"f:data":{"f:k":{}}})");
  check_same(managed_fields_without(object_with({own, others}), kOurManager),
             Value::list({others}));
  check_same(managed_fields_without(object_with({own}), kOurManager), json("[{}]"));
  CHECK(managed_fields_without(object_with({others}), kOurManager).is_nil());
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
}  // namespace chartwright::fields
