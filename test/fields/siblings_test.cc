// SPDX-License-Identifier: Apache-2.0
#include "fields/siblings.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/value/json_text.h"

namespace chartwright::fields {
namespace {

using value::Value;
using value::testing::json;

constexpr std::string_view kOurs = "chartwright-000000000001";

/// A live object with a spec that we have applied in part, and kubectl in part.
Value live_object(const std::string& spec, const std::string& ours, const std::string& theirs) {
  return json(R"({"apiVersion":"v1","metadata":{"name":"a","managedFields":[
    {"manager":"chartwright-000000000001","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:spec":)" +
              ours + R"(}},
    {"manager":"kubectl","operation":"Update","apiVersion":"v1","fieldsV1":{"f:spec":)" +
              theirs + R"(}}]},"spec":)" + spec + "}");
}

/// Each place with the members that are found there, one a line.
std::string found(const Value& live, const char* desired, std::string_view field) {
  std::string text;
  for (const Siblings& one : find_siblings(live, json(desired), field)) {
    text += one.place.to_string() + ": " + base::join(one.members, " ") + "\n";
  }
  return text;
}

const Value kEnvironment = live_object(R"({"containers":[{"name":"z"},{"name":"a","image":"x",
                    "env":[{"name":"A","value":"1"},{"name":"B","value":"hack","valueFrom":{}}]}]})",
                                       R"({"f:containers":{"k:{\"name\":\"a\"}":{"f:env":{
                    "k:{\"name\":\"B\"}":{"f:name":{},"f:valueFrom":{}}}}}})",
                                       R"({"f:containers":{"k:{\"name\":\"a\"}":{"f:env":{
                    "k:{\"name\":\"A\"}":{"f:value":{}},"k:{\"name\":\"B\"}":{"f:value":{}}}}}})");
const char* const kWanted =
    R"({"spec":{"containers":[{"name":"a","env":[{"name":"B","valueFrom":{}}]}]}})";

TEST_CASE("The object that a cause names, or that has the member which it names, has siblings") {
  const Value strategy = live_object(
      R"({"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}},"replicas":2})",
      R"({"f:strategy":{"f:type":{}}})", R"({"f:replicas":{}})");
  const char* recreate = R"({"spec":{"strategy":{"type":"Recreate"}}})";
  CHECK(found(strategy, recreate, "spec.strategy.rollingUpdate") ==
        "spec.strategy: rollingUpdate\n");
  CHECK(found(strategy, recreate, "spec.strategy") ==
        "spec.strategy: rollingUpdate\nspec: replicas\n");
  CHECK(found(strategy, recreate, "spec") == "spec: replicas\n");
  CHECK(found(strategy, R"({"spec":{"strategy":{"type":"x","rollingUpdate":null}}})",
              "spec.strategy.rollingUpdate.maxSurge") == "spec.strategy: rollingUpdate\n");
  CHECK(found(strategy, R"({"spec":{"strategy":{"type":"x","rollingUpdate":{}}}})",
              "spec.strategy.rollingUpdate") == "spec.strategy.rollingUpdate: maxSurge\n");
}

TEST_CASE("An index stands for the items that both have, by their keys") {
  CHECK(found(kEnvironment, kWanted, "spec.containers[0].env[0].valueFrom") ==
        "spec.containers[1].env[1]: value\n");
  // A list without keys is replaced as a whole.
  CHECK(found(live_object(R"({"args":[{"a":1,"b":2}]})", R"({"f:args":{}})", "{}"),
              R"({"spec":{"args":[{"a":1}]}})", "spec.args[0].b")
            .empty());
}

TEST_CASE("Nothing is found where the desired form lacks nothing, or there is no such place") {
  CHECK(found(kEnvironment, R"({"spec":{"containers":"none"}})", "spec.containers[0].env").empty());
  for (const char* field :
       {"", "x", "x.y", "spec.containers", "[0]", "spec[", "...", "metadata.annotations[a.b/c]"}) {
    CAPTURE(field);
    CHECK(found(kEnvironment, kWanted, field).empty());
  }
  // Not the whole object, nor its metadata.
  CHECK(found(kEnvironment, R"({"metadata":{"name":"a"}})", "metadata.name").empty());
  CHECK(found(kEnvironment, "{}", "spec").empty());
}

TEST_CASE("A name that neither form has stands for all objects beside it") {
  const Value definition = live_object(
      R"({"group":"a","conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"x"}}}})",
      "{}", "{}");
  const char* desired =
      R"({"spec":{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"service":{}}}}}})";
  CHECK(found(definition, desired, "spec.conversion.webhookClientConfig") ==
        "spec: group\nspec.conversion.webhook.clientConfig: url\n");
  CHECK(found(definition, desired, "spec.conversion.strategy") == "spec: group\n");
  CHECK(found(kEnvironment, kWanted, "spec.internal.name") ==
        "spec.containers[1].env[1]: value\nspec.containers[1]: image\n");
}

TEST_CASE("A key of a map of the whole object stands for each of its maps") {
  const Value live = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},
                              "data":{"a":"1","b":"2"},"binaryData":{"c":"Yw=="}})");
  const char* desired = R"({"metadata":{},"binaryData":{"a":"YQ==","c":"Yw=="}})";
  CHECK(found(live, desired, "data[a]") == "data: a b\n");
  CHECK(found(live, desired, "binaryData[1]") == "data: a b\n");
  CHECK(found(live, R"({"data":{"c":"3"}})", "data[c]") == "binaryData: c\ndata: a b\n");
  CHECK(found(live, desired, "data").empty());
  const std::vector<Siblings> all = find_siblings(live, json(desired), "data[a]");
  CHECK(CW_MUST(value::to_json(patch_without(live, all[0], {"a"}))) ==
        R"([{"op":"replace","path":"/data","value":{"b":"2"}},)"
        R"({"op":"add","path":"/binaryData","value":{"a":"YQ==","c":"Yw=="}}])");
}

TEST_CASE("The patch of a trial replaces one object") {
  const std::vector<Siblings> all =
      find_siblings(kEnvironment, json(kWanted), "spec.containers[0].env[0].valueFrom");
  REQUIRE(all.size() == 1);
  CHECK(
      CW_MUST(value::to_json(patch_without(kEnvironment, all[0], {"value"}))) ==
      R"([{"op":"replace","path":"/spec/containers/1/env/1","value":{"name":"B","valueFrom":{}}}])");
  CHECK(CW_MUST(value::to_json(patch_without(kEnvironment, all[0], {}))) ==
        R"([{"op":"replace","path":"/spec/containers/1/env/1",)"
        R"("value":{"name":"B","value":"hack","valueFrom":{}}}])");
  const Value slashes = live_object(R"({"a/b~c":{"x":1,"y":2}})", "{}", "{}");
  const auto odd = find_siblings(slashes, json(R"({"spec":{"a/b~c":{"x":1}}})"), "spec[a/b~c]");
  REQUIRE(odd.size() == 1);
  CHECK(patch_without(slashes, odd[0], {}).as_list().items[0].string_at({"path"}) ==
        "/spec/a~1b~0c");
}

TEST_CASE("A member that is taken over is ours alone") {
  std::vector<Siblings> chosen =
      find_siblings(kEnvironment, json(kWanted), "spec.containers[0].env[0].valueFrom");
  const Value entries = managed_fields_with_members(kEnvironment, kOurs, chosen);
  REQUIRE(entries.is_list());
  REQUIRE(entries.as_list().items.size() == 2);
  CHECK(CW_MUST(value::to_json(*entries.as_list().items[0].find("fieldsV1"))) ==
        R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:env":{"k:{\"name\":\"B\"}":)"
        R"({"f:name":{},"f:value":{},"f:valueFrom":{}}}}}}})");
  CHECK(CW_MUST(value::to_json(*entries.as_list().items[1].find("fieldsV1"))) ==
        R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:env":{"k:{\"name\":\"A\"}":)"
        R"({"f:value":{}}}}}}})");
  // The live object is not written to.
  CHECK(kEnvironment.find_path({"metadata", "managedFields"})->as_list().items.size() == 2);
}

TEST_CASE("A member that is taken over by a manager that has applied nothing is its only field") {
  const Value live = live_object(R"({"a":1,"b":2})", R"({"f:a":{}})", R"({"f:b":{}})");
  const std::vector<Siblings> chosen = find_siblings(live, json(R"({"spec":{"a":1}})"), "spec.a");
  const Value entries = managed_fields_with_members(live, "chartwright-000000000002", chosen);
  REQUIRE(entries.as_list().items.size() == 2);
  const Value added = entries.as_list().items[1];
  CHECK(added.string_at({"manager"}) == "chartwright-000000000002");
  CHECK(added.string_at({"operation"}) == "Apply");
  CHECK(added.string_at({"apiVersion"}) == live.string_at({"apiVersion"}));
  CHECK(CW_MUST(value::to_json(*added.find("fieldsV1"))) == R"({"f:spec":{"f:b":{}}})");
}

TEST_CASE("An entry that has nothing left is gone") {
  const Value live = live_object(R"({"a":1,"b":2})", R"({"f:a":{}})", R"({"f:b":{}})");
  const std::vector<Siblings> chosen = find_siblings(live, json(R"({"spec":{"a":1}})"), "spec.a");
  const Value entries = managed_fields_with_members(live, kOurs, chosen);
  REQUIRE(entries.as_list().items.size() == 1);
  CHECK(CW_MUST(value::to_json(*entries.as_list().items[0].find("fieldsV1"))) ==
        R"({"f:spec":{"f:a":{},"f:b":{}}})");
}

}  // namespace
}  // namespace chartwright::fields
