// SPDX-License-Identifier: Apache-2.0
#include "coverage/lcov.h"

#include <catch2/catch.hpp>

#include "test/coverage/covered_chart.h"

namespace chartwright::coverage {
namespace {

TEST_CASE("A tracefile has the lines and the sides of branches of each file") {
  const ChartCoverage chart = testing::covered(
      {{"templates/a.yaml",
        "a: 1\n{{ if .Values.x }}\n{{ with .Values.y }}y: 1{{ end }}\n{{ end }}\n"}},
      {"{}", "{}"});
  CHECK(lcov_text({chart}, [](const std::string&) { return true; }) ==
        "TN:\n"
        "SF:charts/c/templates/a.yaml\n"
        "BRDA:2,0,0,0\n"
        "BRDA:2,0,1,2\n"
        "BRDA:3,1,0,-\n"
        "BRDA:3,1,1,-\n"
        "BRF:4\n"
        "BRH:1\n"
        "DA:1,2\n"
        "DA:2,2\n"
        "DA:3,0\n"
        "LF:3\n"
        "LH:2\n"
        "end_of_record\n");
}

TEST_CASE("A tracefile names no file that is not on the disk, and none that would forge a line") {
  const ChartCoverage chart = testing::covered({{"templates/a.yaml", "a: 1\n"}}, {"{}"});
  CHECK(lcov_text({chart}, [](const std::string&) { return false; }).empty());
  ChartCoverage hostile = chart;
  hostile.files.front().path = "a\nLF:1000\n";
  CHECK(lcov_text({hostile}, [](const std::string&) { return true; }).empty());
}

}  // namespace
}  // namespace chartwright::coverage
