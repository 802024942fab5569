// SPDX-License-Identifier: Apache-2.0
#include "helm/values/chart_graph.h"

#include <catch2/catch.hpp>

#include "helm/chart/loader.h"

namespace chartwright::helm {
namespace {

Chart sample_chart() {
  return load_chart_files(
             {{"Chart.yaml", "apiVersion: v2\nname: one\nversion: 0.1.0\n"},
              {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"}})
      .value()
      .chart;
}

}  // namespace

TEST_CASE("A copy of a chart has its name, and is in the tree where it is set") {
  const Chart chart = sample_chart();
  ChartGraph graph(chart, AliasRule::kShared);
  ChartNode& sub = *graph.root().dependencies.at(0);
  ChartNode* copy = graph.copy(sub, "other").value();
  CHECK(copy->name() == "other");
  CHECK(sub.name() == "sub");
  ChartGraph::set_dependencies(graph.root(), {&sub, copy});
  CHECK(copy->parent == &graph.root());
  const Chart tree = ChartGraph::tree(graph.root()).value();
  REQUIRE(tree.dependencies.size() == 2);
  CHECK(tree.dependencies[0].name() == "sub");
  CHECK(tree.dependencies[1].name() == "other");
}

TEST_CASE("Copies of charts are limited in number") {
  const Chart chart = sample_chart();
  ChartGraph graph(chart, AliasRule::kCopied);
  const ChartNode& sub = *graph.root().dependencies.at(0);
  base::Result<ChartNode*> copy = graph.copy(sub, "other");
  size_t made = 0;
  while (copy.ok() && made <= kChartsMax) {
    ++made;
    copy = graph.copy(sub, "other");
  }
  CHECK(made == kChartsMax);
  REQUIRE(!copy.ok());
  CHECK(copy.error().code() == base::ErrorCode::kBudget);
}

}  // namespace chartwright::helm
