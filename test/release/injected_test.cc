// SPDX-License-Identifier: Apache-2.0
// Fields that controllers of the cluster fill in.
#include <catch2/catch.hpp>

#include "test/release/apply_world.h"

namespace chartwright::release {
namespace {

using testing::json;
using value::Value;
using World = testing::ApplyWorld;

TEST_CASE("A CA that somebody has injected stays, and without an injector that of the chart") {
  World world;
  world.blind = true;
  world.adoption = Adoption::kAdopt;
  const bool has_injector = GENERATE(true, false);
  if (has_injector) {
    world.api.put(json(R"({"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{"name":"ca","namespace":"shop"},"data":{"ca-bundle.crt":"injected"}})"));
  }
  world.want(R"({"apiVersion":"v1","kind":"ConfigMap",
    "metadata":{"name":"ca","labels":{"config.openshift.io/inject-trusted-cabundle":"true"}},
    "data":{"ca-bundle.crt":"chart","other":"chart"}})");
  CHECK(world.run().ok());
  const Value live = *world.api.find(testing::config_map("ca"));
  CHECK(live.string_at({"data", "ca-bundle.crt"}) == (has_injector ? "injected" : "chart"));
  CHECK(live.string_at({"data", "other"}) == "chart");
}

}  // namespace
}  // namespace chartwright::release
