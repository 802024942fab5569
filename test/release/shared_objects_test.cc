// SPDX-License-Identifier: Apache-2.0
// Two custom resources and one object, each by its field manager.
#include <catch2/catch.hpp>

#include "fields/managed_fields.h"
#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using testing::json;
using value::Value;

const kube::ObjectRef kTarget = testing::config_map("t");

/// A ConfigMap of nobody, which the world and others patch.
struct SharedWorld : testing::ApplyWorld {
  SharedWorld() {
    api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",
                     "metadata":{"name":"t","namespace":"shop"},"data":{"own":"x"}})"));
  }
  /// The world wants these data, all of them as one patch.
  void ask(const std::string& data) {
    desired.clear();
    want(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t"},"data":)" + data + "}",
         Role::kPartial);
  }
  /// Another custom resource applies these data, by force or not.
  bool other_applies(const std::string& data, kube::Force force = kube::Force::kNo) {
    Value body = json(R"({"apiVersion":"v1","kind":"ConfigMap",
                          "metadata":{"name":"t","namespace":"shop"}})");
    if (const Value fields = json(data); !fields.as_dict().empty()) {
      body.mutable_dict().set("data", fields);
    }
    return api.apply(body, {.field_manager = "chartwright-0123456789ab", .force = force}, call)
        .ok();
  }
  std::string data() { return CW_MUST(value::to_json(*api.find(kTarget)->find("data"))); }
  std::string conflicts() {
    std::string text;
    for (const fields::FieldConflict& one : inventory[kTarget].contest.fields) {
      text += one.path + " by " + one.manager + ";";
    }
    return text;
  }
};

TEST_CASE("Patches of different fields live side by side, in any order") {
  SharedWorld world;
  const bool first = GENERATE(true, false);
  if (!first) {
    CHECK(world.other_applies(R"({"b":"2"})"));
  }
  world.ask(R"({"a":"1"})");
  CHECK(world.run().ok());
  if (first) {
    CHECK(world.other_applies(R"({"b":"2"})"));
  }
  CHECK(world.data() == R"({"a":"1","b":"2","own":"x"})");
  CHECK(world.run().writes == 0);
  SECTION("one changes its field") {
    world.ask(R"({"a":"3"})");
    CHECK(world.run().writes == 1);
    CHECK(world.data() == R"({"a":"3","b":"2","own":"x"})");
  }
  SECTION("one goes") {
    world.desired.clear();
    CHECK(world.run().writes == 1);
    CHECK(world.data() == R"({"b":"2","own":"x"})");
  }
  SECTION("the other one goes") {
    CHECK(world.other_applies("{}"));
    CHECK(world.run().writes == 0);
    CHECK(world.data() == R"({"a":"1","own":"x"})");
  }
}

TEST_CASE("A field that two set to one value is one of both") {
  SharedWorld world;
  CHECK(world.other_applies(R"({"a":"1"})"));
  world.ask(R"({"a":"1"})");
  CHECK(world.run().writes == 1);
  CHECK(world.run().writes == 0);
  SECTION("one goes") {
    world.desired.clear();
    CHECK(world.run().ok());
    CHECK(world.data() == R"({"a":"1","own":"x"})");
  }
  SECTION("the other one goes") {
    CHECK(world.other_applies("{}"));
    CHECK(world.data() == R"({"a":"1","own":"x"})");
    CHECK(world.run().writes == 0);
  }
  SECTION("both change it to the same value: the first one yields") {
    world.ask(R"({"a":"2"})");
    CHECK(world.run().ok());
    CHECK(world.data() == R"({"a":"1","own":"x"})");
    CHECK(world.conflicts() == "data.a by chartwright-0123456789ab;");
    CHECK(world.other_applies(R"({"a":"2"})"));
    CHECK(world.run().ok());
    CHECK(world.conflicts().empty());
    CHECK(world.data() == R"({"a":"2","own":"x"})");
    CHECK(world.other_applies("{}"));
    CHECK(world.data() == R"({"a":"2","own":"x"})");
  }
}

TEST_CASE("Of two values of one field the first one stays, and nobody fights") {
  SharedWorld world;
  CHECK(world.other_applies(R"({"a":"theirs"})"));
  world.ask(R"({"a":"ours","b":"ours"})");
  CHECK(world.run().ok());
  CHECK(world.data() == R"({"a":"theirs","b":"ours","own":"x"})");
  CHECK(world.conflicts() == "data.a by chartwright-0123456789ab;");
  CHECK(world.run().writes == 0);
  CHECK(world.api.calls().empty());
  SECTION("the other one gives it up") {
    CHECK(world.other_applies("{}"));
    CHECK(world.run().ok());
    CHECK(world.data() == R"({"a":"ours","b":"ours","own":"x"})");
    CHECK(world.conflicts().empty());
    CHECK(world.run().writes == 0);
  }
  SECTION("the rest is repaired meanwhile") {
    Value edited = *world.api.find(kTarget);
    edited.find("data")->mutable_dict().set("b", Value::string("edited"));
    world.api.put(edited);
    CHECK(world.run().ok());
    CHECK(world.data() == R"({"a":"theirs","b":"ours","own":"x"})");
    CHECK(world.conflicts() == "data.a by chartwright-0123456789ab;");
  }
  SECTION("another process finds it again") {
    InventoryEntry& entry = world.inventory[kTarget];
    entry.contest = {};
    entry.resource_version.clear();
    CHECK(world.run().ok());
    CHECK(world.conflicts() == "data.a by chartwright-0123456789ab;");
    CHECK(world.run().writes == 0);
  }
  SECTION("it is no longer asked for") {
    world.desired.clear();
    CHECK(world.run().ok());
    CHECK(world.data() == R"({"a":"theirs","own":"x"})");
    CHECK(world.inventory.empty());
  }
}

TEST_CASE("A patch sets what others than custom resources have set, also beside these") {
  SharedWorld world;
  CHECK(world.other_applies(R"({"b":"2"})"));
  const Value body = json(R"({"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{"name":"t","namespace":"shop"},"data":{"a":"0"}})");
  CHECK(world.api.apply(body, {.field_manager = "kubectl", .force = kube::Force::kYes}, world.call)
            .ok());
  world.ask(R"({"a":"1"})");
  CHECK(world.run().ok());
  CHECK(world.data() == R"({"a":"1","b":"2","own":"x"})");
  CHECK(world.conflicts().empty());
  CHECK(world.run().writes == 0);
}

// As the versions left it that applied everything with one manager.
void as_earlier(testing::ApplyWorld& world, const kube::ObjectRef& ref) {
  Value object = value::deep_copy(*world.api.find(ref));
  for (const Value& entry : object.items_at({"metadata", "managedFields"})) {
    if (entry.string_at({"manager"}) == testing::book_manager()) {
      entry.mutable_dict().set("manager", Value::string(fields::kFieldManager));
    }
  }
  world.api.put(object);
  world.inventory[ref].resource_version.clear();
}

std::string without_managers(Value object) {
  value::Dict& metadata = object.find("metadata")->mutable_dict();
  metadata.erase("managedFields");
  metadata.erase("resourceVersion");
  return CW_MUST(value::to_json(object));
}

TEST_CASE("An object that an earlier version applied moves by one write of managedFields") {
  SharedWorld world;
  const auto role = GENERATE(Role::kChild, Role::kPartial);
  const std::string name = role == Role::kChild ? "a" : "t";
  const kube::ObjectRef ref = testing::config_map(name);
  world.want_map(name, "1", role);
  CHECK(world.run().ok());
  as_earlier(world, ref);
  const std::string before = without_managers(value::deep_copy(*world.api.find(ref)));
  const std::string observed = world.inventory[ref].observed;

  CHECK(world.run().writes == 1);
  CHECK(world.api.whats() ==
        std::vector<std::string>{"get ConfigMap shop/" + name, "patch ConfigMap shop/" + name});
  const Value sent = world.api.last("patch ConfigMap shop/" + name).body;
  CHECK(sent.as_dict().size() == 1);
  CHECK(sent.find("metadata")->as_dict().size() == 3);  // managedFields, uid, resourceVersion.
  CHECK(without_managers(value::deep_copy(*world.api.find(ref))) == before);
  CHECK(world.inventory[ref].observed == observed);
  CHECK(fields::projection_digest(*world.api.find(ref), testing::book_manager()) == observed);
  CHECK(world.run().writes == 0);
  CHECK(world.api.calls().empty());
  SECTION("and a process that ended after it finds all in sync") {
    world.inventory[ref].resource_version.clear();
    CHECK(world.run().writes == 0);
  }
}

TEST_CASE("A change that comes with the move removes what is no longer rendered") {
  SharedWorld world;
  world.want(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},
                 "data":{"k":"1","l":"2"}})");
  CHECK(world.run().ok());
  as_earlier(world, testing::config_map("a"));
  world.desired.clear();
  world.want_map("a", "1");
  CHECK(world.run().ok());
  CHECK(CW_MUST(value::to_json(*world.api.find(testing::config_map("a"))->find("data"))) ==
        R"({"k":"1"})");
  CHECK(world.run().writes == 0);
}

TEST_CASE("Drift that comes with the move is repaired") {
  SharedWorld world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  as_earlier(world, testing::config_map("a"));
  Value edited = *world.api.find(testing::config_map("a"));
  edited.find("data")->mutable_dict().set("k", Value::string("edited"));
  world.api.put(edited);
  CHECK(world.run().ok());
  CHECK(world.k_of("a") == "1");
  CHECK(world.run().writes == 0);
}

TEST_CASE("A patch leaves what another one had set by the manager they had in common") {
  SharedWorld world;
  world.ask(R"({"a":"1"})");
  CHECK(world.run().ok());
  Value object = value::deep_copy(*world.api.find(kTarget));
  object.find("data")->mutable_dict().set("b", Value::string("2"));
  object.find("metadata")
      ->mutable_dict()
      .set("managedFields", json(R"([{"manager":"chartwright","operation":"Apply","apiVersion":"v1",
                "fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{},"f:b":{}}}}])"));
  world.api.put(object);
  world.inventory[kTarget].resource_version.clear();
  CHECK(world.run().ok());
  CHECK(world.data() == R"({"a":"1","b":"2","own":"x"})");
  world.desired.clear();
  CHECK(world.run().ok());
  CHECK(world.data() == R"({"b":"2","own":"x"})");
}

TEST_CASE("A forged record of a patch takes nothing from others") {
  SharedWorld world;
  CHECK(world.other_applies(R"({"a":"1"})"));
  InventoryEntry& entry = world.inventory[kTarget];
  entry.role = Role::kPartial;
  entry.desired = "x";
  entry.observed =
      fields::projection_digest(*world.api.find(kTarget), "chartwright-0123456789ab").value();
  CHECK(world.run().writes == 0);
  CHECK(world.api.calls().empty());
  CHECK(world.data() == R"({"a":"1","own":"x"})");
}

TEST_CASE("Where a field cannot be given up, only its manager goes") {
  SharedWorld world;
  world.ask(R"({"a":"1"})");
  CHECK(world.run().ok());
  world.desired.clear();
  world.api.fail_once("apply ConfigMap shop/t", base::Error(base::ErrorCode::kInvalid, "needed"));
  CHECK(world.run().ok());
  CHECK(world.data() == R"({"a":"1","own":"x"})");
  CHECK_FALSE(fields::projection_digest(*world.api.find(kTarget), testing::book_manager()));
  CHECK(world.inventory.empty());
}

}  // namespace
}  // namespace chartwright::release
