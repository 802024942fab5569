// SPDX-License-Identifier: Apache-2.0
// The storage of the API server goes back in time.
#include <catch2/catch.hpp>

#include "test/operator/world.h"

namespace chartwright::op {
namespace {

using testing::World;

TEST_CASE("After a restore of the server's storage, drift with an old version is seen") {
  World world;
  world.spec("{}");
  world.converge();
  const auto backup = world.api.back_up();
  for (const char* color : {"blue", "green", "black"}) {
    world.spec(std::string(R"({"color":")") + color + R"("})");
    world.converge();
  }
  world.api.restore(backup);
  world.relist();
  world.converge();
  CHECK(world.revision() == 1);
  CHECK(world.color() == "red");
  value::Value child = *world.api.find(world.config_map("w"));
  child.find("data")->mutable_dict().set("color", value::Value::string("edited"));
  world.api.put(child);
  world.converge();
  CHECK(world.color() == "red");
  world.spec(R"({"color":"white"})");
  world.converge();
  CHECK(world.color() == "white");
  CHECK(world.revision() == 2);
}

}  // namespace
}  // namespace chartwright::op
