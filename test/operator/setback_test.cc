// SPDX-License-Identifier: Apache-2.0
// The storage of the API server goes back in time.
#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::World;

/// Writes until the server gives out later versions than that.
void pass_version(World& world, const std::string& version) {
  value::Value noise = *world.api.find(world.config_map("w"));
  noise.find("metadata")->mutable_dict().set("name", value::Value::string("noise"));
  std::optional<std::strong_ordering> order;
  for (int i = 0; order != std::strong_ordering::greater; ++i) {
    noise.find("data")->mutable_dict().set("color", value::Value::string(std::to_string(i)));
    order =
        kube::compare_resource_versions(kube::resource_version_of(world.api.put(noise)), version);
  }
  world.api.erase(world.config_map("noise"));
}

/// Installs and upgrades three times; returns the storage as it was before the upgrades.
auto back_up_before_upgrades(World& world) {
  world.spec("{}");
  world.converge();
  auto backup = world.api.back_up();
  for (const char* color : {"blue", "green", "black"}) {
    world.spec(std::string(R"({"color":")") + color + R"("})");
    world.converge();
  }
  return backup;
}

void edit_child(World& world) {
  value::Value child = *world.api.find(world.config_map("w"));
  child.find("data")->mutable_dict().set("color", value::Value::string("edited"));
  world.api.put(child);
}

void check_next_revision(World& world) {
  world.spec(R"({"color":"white"})");
  world.converge();
  CHECK(world.color() == "white");
  CHECK(world.revision() == 2);
}

TEST_CASE("After a restore of the server's storage, drift with an old version is seen") {
  World world;
  const auto backup = back_up_before_upgrades(world);
  world.api.restore(backup);
  world.relist();
  world.converge();
  world.await_caches();  // One that proves the restore has all filled once more.
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.color() == "red");
  edit_child(world);
  world.converge();
  CHECK(world.color() == "red");
  check_next_revision(world);
}

TEST_CASE("A watch that goes on after a restore as if nothing had happened hides no drift") {
  World world;
  const auto backup = back_up_before_upgrades(world);
  const std::string seen(kube::resource_version_of(world.cr()));
  world.api.restore(backup);
  pass_version(world, seen);
  CHECK(kube::resource_version_of(world.cached()) == seen);
  edit_child(world);

  CHECK(world.fail().error.code() == base::ErrorCode::kConflict);
  world.await_caches();
  world.converge();
  CHECK(world.color() == "red");
  CHECK(world.revision() == 1);
  check_next_revision(world);
}

}  // namespace
}  // namespace chartwright::op
