// SPDX-License-Identifier: Apache-2.0
#include "helm/values/value_origins.h"

#include <catch2/catch.hpp>

#include "helm/chart/loader.h"
#include "value/json.h"

namespace chartwright::helm {
namespace {

using Steps = std::vector<value::Path::Step>;

/// Returns the origins in a chart with defaults, where the user gave a file and a flag.
ValueOrigins sample_origins() {
  Chart chart = load_chart_files({{"Chart.yaml", "apiVersion: v2\nname: one\nversion: 0.1.0\n"},
                                  {"values.yaml", "image:\n  tag: v1\n  name: x\n"}})
                    .value()
                    .chart;
  chart.path = "one";
  const auto layers = [] {
    const auto json = [](std::string_view text) {
      return value::parse_json(text, value::Numbers::kInt64).value();
    };
    const std::string file = "image: {tag: v2}\n";
    return std::vector<ValueLayer>{
        {"prod.yaml", json(R"({"image":{"tag":"v2"}})"), file, ""},
        {"--set", json(R"({"image":{"tag":"v3","name":null}})"), "", ""}};
  };
  return {chart, ValuesRule::kFirstDocument, layers};
}

}  // namespace

TEST_CASE("The origins of a value are the places of its keys, the one that wins first") {
  std::vector<std::string> texts;
  for (const ValueOrigins::Origin& origin : sample_origins().of(Steps{"image", "tag"})) {
    texts.push_back(origin.text());
  }
  CHECK(texts == std::vector<std::string>{"set by --set", "set at prod.yaml:1:9",
                                          "set at one/values.yaml:2:3"});
  CHECK(sample_origins().of(Steps{"image", "none"}).empty());
}

TEST_CASE("A null of a stronger layer hides a default") {
  const auto hidden = sample_origins().hidden(Steps{"image", "name"});
  REQUIRE(hidden);
  CHECK(hidden->origin.text() == "set by --set");
  CHECK(hidden->path == "image.name");
  CHECK(!sample_origins().hidden(Steps{"image", "tag"}));
}

}  // namespace chartwright::helm
