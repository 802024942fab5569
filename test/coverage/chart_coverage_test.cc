// SPDX-License-Identifier: Apache-2.0
#include "coverage/chart_coverage.h"

#include <catch2/catch.hpp>

#include "test/coverage/covered_chart.h"

namespace chartwright::coverage {
namespace {

using Lines = std::map<size_t, uint64_t>;
using Words = std::vector<std::string>;

/// Returns the coverage of the chart's only template.
FileCoverage covered_template(const std::string& text, const std::vector<std::string>& values) {
  const ChartCoverage chart = testing::covered({{"templates/a.yaml", text}}, values);
  REQUIRE(chart.files.size() == 1);
  return chart.files.front();
}

/// Returns each branch with its sides that were not taken: "1 if .x: never true".
Words missed_of(const FileCoverage& file) {
  Words missed;
  for (const BranchCount& branch : file.branches) {
    for (const std::string& side : branch.missed()) {
      missed.push_back(std::to_string(branch.line) + " " + branch.text + ": " + side);
    }
  }
  return missed;
}

TEST_CASE("A line counts if a statement is on it, and has run if one of its statements has") {
  const FileCoverage file = covered_template(
      "# text\n"
      "\n"
      "{{- /* a comment */}}\n"
      "{{- if .Values.on }}\n"
      "on: {{ .Values.on }}\n"
      "{{- else }}\n"
      "off: 1\n"
      "{{- end }}\n"
      "always: {{ if .Values.on }}1{{ end }}\n",
      {"{}", "{}"});
  CHECK(file.lines == Lines{{1, 2}, {4, 2}, {5, 0}, {7, 2}, {9, 2}});
  CHECK(file.missed_lines() == std::vector<size_t>{5});
  CHECK(file.line_share().covered == 4);
  CHECK(file.line_share().percent() == "80.0 %");
  CHECK(missed_of(file) == Words{"4 if .Values.on: never true", "9 if .Values.on: never true"});
  CHECK(file.branch_share().covered == 2);
  CHECK(file.branch_share().total == 4);
}

TEST_CASE("An action counts on all lines of its expression") {
  const FileCoverage file = covered_template(
      "{{ printf \"%s%s\"\n"
      "     (default\n"
      "       \"a\" .Values.a)\n"
      "     `b\n"
      "c` }}\n"
      "{{\n"
      "  .Values.d }}\n",
      {"{}"});
  CHECK(file.lines == Lines{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {7, 1}});
}

TEST_CASE("Each if, with and range has two sides, whether it has an else or not") {
  const std::string text =
      "{{ if .Values.a }}1{{ else if .Values.b }}2{{ else }}3{{ end }}\n"
      "{{ with .Values.w }}{{ . }}{{ end }}\n"
      "{{ range .Values.r }}{{ . }}{{ end }}\n"
      "{{ range $i := until (int .Values.n) }}{{ $i }}{{ end }}\n";
  CHECK(missed_of(covered_template(text, {"{}"})) ==
        Words{"1 if .Values.a: never true", "1 if .Values.b: never true",
              "2 with .Values.w: always empty", "3 range .Values.r: always empty",
              "4 range $i := until (int .Values.n): always empty"});
  CHECK(missed_of(covered_template(text, {R"({"a": 1, "w": 1, "r": [1, 2], "n": 3})"})) ==
        Words{"1 if .Values.a: never false", "1 if .Values.b: never reached",
              "2 with .Values.w: never empty", "3 range .Values.r: never empty",
              "4 range $i := until (int .Values.n): never empty"});
  const FileCoverage both =
      covered_template(text, {R"({"a": 1, "w": 1, "r": [1, 2], "n": 3})", R"({"b": 1})", "{}"});
  CHECK(missed_of(both).empty());
  CHECK(both.branch_share().covered == 10);
  CHECK(both.branches[3].count.bodies == 1);
}

TEST_CASE("A template that fails has run up to the statement that failed") {
  const FileCoverage file = covered_template(
      "a: 1\n"
      "{{ if fail \"no\" }}\n"
      "b: 1\n"
      "{{ end }}\n"
      "c: 1\n",
      {"{}"});
  CHECK(file.lines == Lines{{1, 1}, {2, 1}, {3, 0}, {5, 0}});
  CHECK(missed_of(file) == Words{"2 if fail \"no\": never true", "2 if fail \"no\": never false"});
}

TEST_CASE("Definitions of partials count, and the text around them does not") {
  const ChartCoverage chart = testing::covered(
      {{"templates/_h.tpl",
        "Helpers.\n{{ define \"used\" }}\nx: 1\n{{ end }}\n{{ define \"unused\" }}\ny: 1\n{{ end "
        "}}\n"},
       {"templates/a.yaml", "{{ include \"used\" . }}{{ tpl \"z: {{ .Values.z }}\" . }}\n"}},
      {"{}"});
  REQUIRE(chart.files.size() == 2);
  CHECK(chart.files[0].name == "c/templates/_h.tpl");
  CHECK(chart.files[0].lines == Lines{{3, 1}, {6, 0}});
  CHECK(chart.files[1].lines == Lines{{1, 1}});
  CHECK(chart.line_share().covered == 2);
  CHECK(chart.line_share().total == 3);
  CHECK(chart.branch_share().percent().empty());
}

TEST_CASE("All lines of a template that cannot be parsed are missed") {
  const FileCoverage file = covered_template("a: 1\n\n{{ if }}\n", {"{}"});
  CHECK(file.lines == Lines{{1, 0}, {3, 0}});
}

TEST_CASE("A share is rounded down, so that 100 % means all") {
  CHECK(Share{9999, 10000}.percent() == "99.9 %");
  CHECK(Share{3, 3}.percent() == "100.0 %");
  CHECK(Share{}.percent().empty());
  CHECK(Share{}.per_mille() == 1000);
}

}  // namespace
}  // namespace chartwright::coverage
