// SPDX-License-Identifier: Apache-2.0
// Releases that were made without signatures: by an earlier Chartwright, or under another key.
#include <catch2/catch.hpp>

#include "revision/record_signature.h"
#include "test/operator/hooked.h"
#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using release::Reach;
using testing::Calls;
using testing::get;
using testing::has;
using testing::kStatus;
using testing::make_unsigned;
using testing::Painted;
using testing::patch;
using testing::record;
using testing::some_overrides;
using value::Value;

std::optional<Reach> reach(const testing::World& world, int number) {
  const auto signer = CW_MUST(base::Signer::make(world.master_key, kube::uid_of(world.cr())));
  return CW_MUST(release::verified_reach(record(world, number), signer));
}

bool writes_children(const Calls& calls) {
  return std::ranges::any_of(calls, [](const std::string& call) {
    return call.find("ConfigMap") != std::string::npos && !call.starts_with("get ");
  });
}

TEST_CASE("A release without signatures is compared with the chart, signed, and nothing else") {
  Painted world(some_overrides());
  make_unsigned(world);
  world.restart();
  world.converge();
  CHECK_FALSE(writes_children(world.calls()));
  CHECK(has(world.calls(), patch(3)));
  CHECK(world.revision() == 3);
  CHECK(world.color() == "blue");
  CHECK(reach(world, 3) == Reach::kEverything);
  CHECK(reach(world, 2) == std::nullopt);
  testing::check_at_rest(world);
}

TEST_CASE("A lost key is as if there had been none") {
  Painted world;
  world.master_key = std::string(64, 'b');
  world.restart();
  world.converge();
  CHECK_FALSE(writes_children(world.calls()));
  CHECK(world.revision() == 3);
  CHECK(reach(world, 3) == Reach::kEverything);
  testing::check_at_rest(world);
}

TEST_CASE("Records of earlier revisions without a signature are no targets of a rollback") {
  Painted world;
  make_unsigned(world);
  world.restart();
  world.converge();
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK_THAT(world.condition("RolledBack"),
             Catch::Matchers::Contains("False RollbackRefused: the record of revision 1 has no"));
  CHECK(world.color() == "blue");
}

TEST_CASE("Those who run the operator may trust such records for a time") {
  Painted world;
  make_unsigned(world);
  world.trusts_unsigned_for = std::chrono::minutes(10);
  world.restart();
  SECTION("then they are signed for their namespace, and listed") {
    world.converge();
    CHECK(reach(world, 3) == Reach::kEverything);
    CHECK(reach(world, 2) == Reach::kOwnNamespace);
    CHECK(reach(world, 1) == Reach::kOwnNamespace);
    CHECK_THAT(world.condition("Unverified"),
               Catch::Matchers::Contains("trusted without a signature: revisions 2, 1"));
    CHECK(world.lines.mention("--trust-unsigned-records"));
    world.annotate(kRollbackTo, "1");
    world.converge();
    CHECK(world.color() == "red");
    CHECK(world.revision() == 4);
  }
  SECTION("and no longer") {
    world.clock.advance(std::chrono::minutes(10));
    world.converge();
    CHECK(reach(world, 2) == std::nullopt);
  }
}

TEST_CASE(
    "A record that the chart does not confirm is confirmed by the cluster, for its namespace") {
  Painted world;
  make_unsigned(world);
  world.deploy(
      {{"templates/extra.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n"}});
  SECTION("so that it can be gone back to") {
    world.restart();
    world.converge();
    CHECK(world.revision() == 4);
    CHECK(reach(world, 3) == Reach::kOwnNamespace);
    CHECK(reach(world, 4) == Reach::kEverything);
    world.annotate(kRollbackTo, "3");
    world.converge();
    CHECK_FALSE(world.exists("new"));
  }
  SECTION("but not if an object is another one") {
    Value child = *world.api.find(world.config_map("w"));
    child.find("data")->mutable_dict().set("color", Value::string("edited"));
    world.api.put(child);
    world.restart();
    world.converge();
    CHECK(reach(world, 3) == std::nullopt);
    CHECK(world.color() == "blue");
  }
}

TEST_CASE("A release without signatures is repaired where its chart cannot be rendered") {
  Painted world;
  make_unsigned(world);
  world.deploy({{"templates/bad.yaml", "{{ fail \"no\" }}"}});
  world.restart();
  world.fail();
  CHECK(reach(world, 3) == Reach::kOwnNamespace);
  Value child = *world.api.find(world.config_map("w"));
  child.find("data")->mutable_dict().set("color", Value::string("edited"));
  world.api.put(child);
  world.reconcile();
  CHECK(world.color() == "blue");
}

TEST_CASE("A rollback in force of a release without signatures stays") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  world.converge();
  REQUIRE(world.color() == "red");
  make_unsigned(world);
  world.restart();
  world.converge();
  CHECK(world.revision() == 4);
  CHECK(world.color() == "red");
  CHECK(reach(world, 4) == Reach::kOwnNamespace);
  CHECK_FALSE(writes_children(world.calls()));
}

TEST_CASE("The signing of a release may be interrupted anywhere") {
  Painted world;
  make_unsigned(world);
  world.restart();
  const std::string at = GENERATE(values<std::string>({get(3), patch(3), kStatus}));
  CAPTURE(at);
  world.api.fail_once(at, base::Error(base::ErrorCode::kUnavailable, "not now"));
  world.fail();
  world.restart();
  world.converge();
  world.converge();
  CHECK(world.revision() == 3);
  CHECK(reach(world, 3) == Reach::kEverything);
}

TEST_CASE("An object that names no owner is not taken because a forged status has it") {
  testing::World world;
  world.api.put(value::testing::json(R"({"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{"name":"w","namespace":"shop"},"data":{"color":"theirs"}})"));
  world.spec("{}");
  Value cr = world.cr();
  cr.mutable_dict().set("status", value::testing::json(R"({"resources":[
      {"version":"v1","kind":"ConfigMap","namespace":"shop","name":"w","desired":"x",
       "observed":"y"}],"signature":"00"})"));
  world.api.put(cr);
  CHECK(world.fail().error.code() == base::ErrorCode::kOwnership);
  CHECK(world.color() == "theirs");
}

/// Somebody names an object without an owner as a child, in a status without a signature, and makes
/// the record of the revision in force useless.
void claim(testing::World& world, const std::string& name) {
  const std::string one = R"({"version":"v1","kind":"ConfigMap","namespace":"shop","desired":"x",
                              "observed":"y","name":")" +
                          name + "\"}";
  Value cr = world.cr();
  Value status = *cr.find("status");
  std::vector<Value> items = status.find("resources")->as_list().items;
  items.push_back(value::testing::json(one));
  status.mutable_dict().set("resources", Value::list(std::move(items)));
  world.api.put(cr);
  release::Revision damaged = record(world, 3);
  damaged.manifest = "a: [";
  testing::put_record(world, damaged);
}

TEST_CASE("An entry of a forged status is not believed later because the operator wrote it, too") {
  Painted world;
  world.api.put(value::testing::json(R"({"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{"name":"victim","namespace":"shop"},"data":{"color":"theirs"}})"));
  SECTION("with a record that says nothing") { claim(world, "victim"); }
  SECTION("without a record") {
    claim(world, "victim");
    world.api.erase(world.secret(3));
  }
  world.restart();
  world.converge();
  REQUIRE(world.status().find("signature") != nullptr);
  world.restart();
  world.deploy({{"templates/extra.yaml",
                 "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: victim}\ndata: {color: ours}"
                 "\n"}});
  CHECK(world.fail().error.code() == base::ErrorCode::kOwnership);
  CHECK(world.api.find(world.config_map("victim"))->string_at({"data", "color"}) == "theirs");
}

TEST_CASE("An object elsewhere that only a forged status names is named until it is gone") {
  Painted world;
  Value elsewhere = value::testing::json(R"({"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{"name":"far","namespace":"other","annotations":{
        "operator-sdk/primary-resource":"shop/w",
        "operator-sdk/primary-resource-type":"Widget.example.com"}}})");
  world.api.put(elsewhere);
  Value cr = world.cr();
  const Value status = *cr.find("status");
  std::vector<Value> items = status.find("resources")->as_list().items;
  items.push_back(value::testing::json(
      R"({"version":"v1","kind":"ConfigMap","namespace":"other","name":"far","desired":"x"})"));
  status.mutable_dict().set("resources", Value::list(std::move(items)));
  world.api.put(cr);
  for (int process = 0; process < 2; ++process) {
    world.restart();
    world.converge();
    CHECK_THAT(world.condition("Unverified"), Catch::Matchers::Contains("ConfigMap other/far"));
  }
  world.api.erase(kube::ref_of(elsewhere));
  world.converge();
  CHECK(world.condition("Unverified") == "absent");
  CHECK(world.revision() == 3);
}

}  // namespace
}  // namespace chartwright::op
