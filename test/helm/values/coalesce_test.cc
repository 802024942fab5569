// SPDX-License-Identifier: Apache-2.0
#include "helm/values/coalesce.h"

#include <catch2/catch.hpp>

#include "helm/chart/loader.h"
#include "value/json.h"

// test/cases/chart/coalesce.txt tests what templates see.
namespace chartwright::helm {
namespace {

using value::Value;

Value json(std::string_view text) {
  return value::parse_json(text, value::Numbers::kInt64).value();
}

std::string text(const Value& v) { return value::to_json(v).value(); }

Chart chart_with(const std::string& values) {
  return load_chart_files({{"Chart.yaml", "apiVersion: v2\nname: one\nversion: 0.1.0\n"},
                           {"values.yaml", values},
                           {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
                           {"charts/sub/values.yaml", "port: 80\n"}})
      .value()
      .chart;
}

}  // namespace

TEST_CASE("Merged values are new, and neither the chart nor the user's values change") {
  const Chart chart = chart_with("a: {b: 1, c: 2}\nglobal: {g: 1}\n");
  const Value user = json(R"({"a":{"b":null},"sub":{"port":8080}})");
  const std::string before = text(chart.values);
  Warnings warnings;
  const CoalesceRules rules{Nulls::kDelete, default_profile()};
  const Value merged = coalesce_values(chart, user, rules, warnings).value();
  CHECK(text(merged) == R"({"a":{"c":2},"global":{"g":1},"sub":{"global":{"g":1},"port":8080}})");
  CHECK(text(user) == R"({"a":{"b":null},"sub":{"port":8080}})");
  CHECK(text(chart.values) == before);
  CHECK(warnings.empty());
}

TEST_CASE("A null is a value where nulls are kept") {
  const Chart chart = chart_with("a: {b: 1}\n");
  Warnings warnings;
  const CoalesceRules rules{Nulls::kKeep, default_profile()};
  const Value merged = coalesce_values(chart, json(R"({"a":{"b":null}})"), rules, warnings).value();
  CHECK(text(*merged.find("a")) == R"({"b":null})");
}

TEST_CASE("Values of a dependency that are not a table are refused") {
  Warnings warnings;
  const CoalesceRules rules{Nulls::kDelete, default_profile()};
  const auto refused = coalesce_values(chart_with(""), json(R"({"sub":1})"), rules, warnings);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code() == base::ErrorCode::kInvalidArgument);
  CHECK(refused.error().message().starts_with("type mismatch on sub: "));
}

TEST_CASE("A dotted path leads to a table or to a scalar, not to both") {
  const Value values = json(R"({"a":{"b":{"c":1}},"d":2})");
  REQUIRE(table_at(values, "a.b") != nullptr);
  CHECK(text(*table_at(values, "a.b")) == R"({"c":1})");
  CHECK(table_at(values, "a.b.c") == nullptr);
  CHECK(table_at(values, "a.x") == nullptr);
  REQUIRE(scalar_at(values, "a.b.c") != nullptr);
  CHECK(text(*scalar_at(values, "a.b.c")) == "1");
  CHECK(scalar_at(values, "a.b") == nullptr);
  CHECK(scalar_at(values, "d.c") == nullptr);
}

}  // namespace chartwright::helm
