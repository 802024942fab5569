// SPDX-License-Identifier: Apache-2.0
#include "coverage/recorder.h"

#include <catch2/catch.hpp>

#include "test/coverage/covered_chart.h"

namespace chartwright::coverage {
namespace {

TEST_CASE("The coverage of a chart adds up what was recorded, under the paths of its folder") {
  const ChartCoverage chart = testing::covered(
      {{"values.yaml", "a: false\n"}, {"templates/a.yaml", "{{ if .Values.a }}1{{ end }}\n"}},
      {"{}", R"({"a": true})", "{}"});
  CHECK(chart.name == "c");
  CHECK(chart.folder == "charts/c");
  REQUIRE(chart.files.size() == 1);
  CHECK(chart.files.front().path == "charts/c/templates/a.yaml");
  const BranchCount& branch = chart.files.front().branches.at(0);
  CHECK(branch.count.runs == 3);
  CHECK(branch.count.bodies == 1);
  CHECK(branch.count.others == 2);
  CHECK(chart.defaults.total == 1);
  CHECK(chart.defaults.unset.empty());
}

TEST_CASE("A chart without templates is covered") {
  const ChartCoverage chart = testing::covered({}, {"{}"});
  CHECK(chart.files.empty());
  CHECK(chart.line_share().per_mille() == 1000);
}

}  // namespace
}  // namespace chartwright::coverage
