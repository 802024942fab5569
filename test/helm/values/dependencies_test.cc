// SPDX-License-Identifier: Apache-2.0
#include "helm/values/dependencies.h"

#include <catch2/catch.hpp>

#include "helm/chart/loader.h"
#include "value/json.h"

// test/cases/chart/coalesce.txt tests conditions, tags, aliases and imports as templates see them.
namespace chartwright::helm {
namespace {

Chart chart_of(const std::string& dependencies) {
  return load_chart_files(
             {{"Chart.yaml",
               "apiVersion: v2\nname: one\nversion: 0.1.0\ndependencies:\n" + dependencies},
              {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"}})
      .value()
      .chart;
}

}  // namespace

TEST_CASE("A render's chart is a copy with the dependencies that are enabled") {
  const Chart chart = chart_of("- {name: sub, version: 1.0.0, condition: sub.on, alias: other}\n");
  const auto dependencies_with = [&](std::string_view json) {
    Warnings warnings;
    ConstraintsCache constraints;
    const value::Value values = value::parse_json(json, value::Numbers::kInt64).value();
    return process_dependencies(chart, values, default_profile(), constraints, warnings)
        .value()
        .dependencies;
  };
  CHECK(dependencies_with(R"({"sub":{"on":false}})").empty());
  const std::vector<Chart> enabled = dependencies_with(R"({"sub":{"on":true}})");
  REQUIRE(enabled.size() == 1);
  CHECK(enabled[0].name() == "other");
  CHECK(enabled[0].path == "one/charts/other");
  REQUIRE(chart.dependencies.size() == 1);
  CHECK(chart.dependencies[0].name() == "sub");
}

TEST_CASE("The dependencies that charts/ lacks are named") {
  CHECK(check_dependencies_present(chart_of("- {name: sub, version: 1.0.0}\n")).ok());
  const base::Status missing = check_dependencies_present(chart_of(
      "- {name: a, version: '1'}\n- {name: sub, version: 1.0.0}\n- {name: b, version: '1'}\n"));
  REQUIRE(!missing.ok());
  CHECK(missing.error().code() == base::ErrorCode::kNotFound);
  CHECK(missing.error().message() == "found in Chart.yaml, but missing in charts/ directory: a, b");
}

}  // namespace chartwright::helm
