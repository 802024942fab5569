// SPDX-License-Identifier: Apache-2.0
#include "defaults/chart_defaults.h"

#include <catch2/catch.hpp>

#include "test/defaults/charts.h"
#include "value/json.h"

namespace chartwright::defaults {

TEST_CASE("Defaults are those of values.yaml over those of dependencies, under their aliases") {
  const auto shop = testing::chart_with(
      {{"Chart.yaml",
        "apiVersion: v2\nname: shop\nversion: 1.2.3\ndependencies:\n"
        "- {name: db, version: 1.0.0, alias: store, condition: store.enabled}\n"},
       {"values.yaml", "size: 1\nstore: {disk: 3, user: null}\n"},
       {"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"},
       {"charts/db/values.yaml", "disk: 1\nuser: me\nport: 5432\n"}});
  const helm::RenderableChart& chart = *shop;
  CHECK(value::to_json(chart_defaults(chart)).value_or("") ==
        R"({"db":{"disk":1,"port":5432,"user":"me"},"size":1,)"
        R"("store":{"disk":3,"port":5432,"user":null}})");
  CHECK(value::to_json(chart.chart().values).value_or("") ==
        R"({"size":1,"store":{"disk":3,"user":null}})");
}

TEST_CASE("A chart without values has no defaults") {
  CHECK(value::to_json(chart_defaults(*testing::chart_with({}))).value_or("") == "{}");
}

}  // namespace chartwright::defaults
