// SPDX-License-Identifier: Apache-2.0
#include "coverage/coverage_json.h"

#include <catch2/catch.hpp>

#include "test/coverage/covered_chart.h"

namespace chartwright::coverage {
namespace {

TEST_CASE("The JSON of a coverage names what was missed") {
  const std::vector<ChartCoverage> charts{
      testing::covered({{"values.yaml", "x: false\n"},
                        {"templates/a.yaml", "a: 1\n{{- if .Values.x }}\nb: 1\n{{- end }}\n"}},
                       {"{}"})};
  CHECK(CW_MUST(value::to_json(coverage_value(charts), value::JsonEscape::kNone)) ==
        R"([{"branches":{"covered":1,"total":2},"chart":"c","folder":"charts/c",)"
        R"("lines":{"covered":2,"total":3},"templates":[{"branches":{"covered":1,"total":2},)"
        R"("lines":{"covered":2,"total":3},"missedBranches":[{"branch":"if .Values.x","line":2,)"
        R"("missed":["never true"]}],"missedLines":[3],"name":"c/templates/a.yaml"}],)"
        R"("unsetValues":["x"],"values":{"covered":0,"total":1}}])");
}

}  // namespace
}  // namespace chartwright::coverage
