// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "kube/schema_refusal.h"
#include "release/apply.h"
#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using World = testing::ApplyWorld;

const std::string kApplyMap = "apply ConfigMap shop/a";

/// The API server refuses the next apply of the ConfigMap "a" for its field `path`.
void refuse_field(World& world, const std::string& path) {
  world.api.fail_once(
      kApplyMap, Error(ErrorCode::kInvalid, "no")
                     .with_causes({{std::string(kube::kUndeclaredField), "not declared", path}}));
}

std::string left_out_of(const World& world) {
  return world.inventory.at(testing::config_map("a")).left_out;
}

TEST_CASE("A create leaves out what does not fit the schema") {
  World world;
  const Desired& wanted = world.want_map("a", "1");
  refuse_field(world, ".data.k");
  const ApplyReport report = world.run();
  CHECK(report.ok());
  CHECK(report.writes == 2);
  CHECK(world.api.whats() == std::vector{kApplyMap, kApplyMap});
  // Still in a way that cannot overwrite an object.
  CHECK(world.api.last(kApplyMap).body.string_at({"metadata", "resourceVersion"}) == "1");
  CHECK(world.api.last(kApplyMap).body.find_path({"data", "k"}) == nullptr);
  CHECK(left_out_of(world) == "data.k");
  CHECK(world.inventory.at(wanted.ref).desired == wanted.digest);
  CHECK(wanted.body.string_at({"data", "k"}) == "1");  // The desired object stays whole.
  CHECK(world.run().ok());
  CHECK(world.api.calls().empty());
  CHECK(left_out_of(world) == "data.k");
}

TEST_CASE("A field that was left out is tried again with the next apply") {
  World world;
  world.want_map("a", "1");
  refuse_field(world, ".data.k");
  CHECK(world.run().ok());
  world.desired.clear();
  world.want_map("a", "2");
  CHECK(world.run().ok());
  CHECK(left_out_of(world).empty());
  CHECK(world.k_of("a") == "2");
}

TEST_CASE("A repair leaves out what does not fit the schema") {
  World world;
  world.want_map("a", "1");
  CHECK(world.run().ok());
  Value live = value::deep_copy(*world.api.find(testing::config_map("a")));
  live.find("data")->mutable_dict().set("k", Value::string("9"));
  world.api.put(live);
  refuse_field(world, ".data.k");
  CHECK(world.run().ok());
  CHECK(left_out_of(world) == "data.k");
}

TEST_CASE("A repair keeps the place of what it leaves out again") {
  World world;
  world.want_map("a", "1");
  refuse_field(world, ".data.k");
  CHECK(world.run().ok());
  InventoryEntry& entry = world.inventory.at(testing::config_map("a"));
  entry.left_out = "data.k (c/templates/a.yaml:3)";
  retry_left_out(world.inventory);
  refuse_field(world, ".data.k");
  CHECK(world.run().ok());
  CHECK(left_out_of(world) == "data.k (c/templates/a.yaml:3)");
}

TEST_CASE("Fields that do not fit are refused where the policy is strict") {
  World world;
  world.strict_fields = true;
  world.want_map("a", "1");
  refuse_field(world, ".data.k");
  CHECK(world.only_error().code() == ErrorCode::kInvalid);
  CHECK(world.api.whats() == std::vector{kApplyMap});
}

TEST_CASE("A refusal that names nothing of the object stays one") {
  World world;
  world.want_map("a", "1");
  refuse_field(world, ".data.x");
  CHECK(world.only_error().code() == ErrorCode::kInvalid);
  CHECK(world.api.whats() == std::vector{kApplyMap});
}

TEST_CASE("A server that refuses one thing after another is asked four times") {
  World world;
  world.want(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},
                 "data":{"a":"1","b":"1","c":"1","d":"1","e":"1"}})");
  for (const char* field : {".data.a", ".data.b", ".data.c", ".data.d"}) {
    refuse_field(world, field);
  }
  CHECK(world.only_error().code() == ErrorCode::kInvalid);
  CHECK(world.api.whats() == std::vector{kApplyMap, kApplyMap, kApplyMap, kApplyMap});
}

constexpr const char* kWide = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},
                                   "spec":{"port":4294967376}})";

TEST_CASE("An apply with a number of more than 32 bits is tried first") {
  World world;
  world.want(kWide);
  // The fake keeps the number, as a field of 64 bits does.
  CHECK(world.run().ok());
  CHECK(world.api.whats() == std::vector<std::string>{"dry-" + kApplyMap, kApplyMap});
}

TEST_CASE("A number of more than 32 bits that could not be tried is not applied") {
  World world;
  world.want(kWide);
  const auto code = GENERATE(ErrorCode::kUnavailable, ErrorCode::kTimeout);
  world.api.fail_once("dry-" + kApplyMap, Error(code, "no answer"));
  CHECK(world.only_error().code() == code);
  CHECK(world.api.whats() == std::vector<std::string>{"dry-" + kApplyMap});
}

}  // namespace
}  // namespace chartwright::release
