// SPDX-License-Identifier: Apache-2.0
// Owner references of claims, and what the report of an apply says of new objects.
#include <catch2/catch.hpp>

#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using testing::json;
using value::Value;
using World = testing::ApplyWorld;

const kube::ObjectRef kVolume = {{"", "v1", "PersistentVolumeClaim"}, "shop", "c"};

TEST_CASE(
    "A claim loses the reference to its owner, although somebody else has set it, and then is in "
    "sync") {
  World world;
  world.want(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"}})");
  REQUIRE(world.run().ok());
  const std::string uid(kube::uid_of(*world.api.find(kVolume)));
  const Value live = value::deep_copy(*world.api.find(kVolume));
  live.find("metadata")
      ->mutable_dict()
      .set("ownerReferences", Value::list({owner_reference(world.owner)}));
  world.api.put(live);
  const ApplyReport report = world.run();
  CHECK(report.ok());
  CHECK(report.writes == 2);
  const Value after = *world.api.find(kVolume);
  CHECK(kube::uid_of(after) == uid);
  CHECK(kube::owner_references_of(after).empty());
  CHECK(claim_on(after, world.owner) == Claim::kOurs);
  CHECK(world.run().writes == 0);
}

TEST_CASE("The report tells which objects did not exist") {
  World world;
  world.blind = true;
  world.adoption = Adoption::kAdopt;
  world.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",)"
                     R"("metadata":{"name":"there","namespace":"shop"}})"));
  world.want_map("there", "1");
  world.want_map("new", "1");
  const ApplyReport report = world.run();
  CHECK(report.ok());
  REQUIRE(report.created.size() == 1);
  CHECK(report.created.front()->ref.name == "new");
}

}  // namespace
}  // namespace chartwright::release
