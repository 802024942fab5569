// SPDX-License-Identifier: Apache-2.0
#include "cmd/coverage_output.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "test/cmd/command.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;

/// A chart with two suites, of which one renders a single template.
class CoveredChart {
 public:
  CoveredChart() {
    write("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
    write("values.yaml", "size: 1\nmore: false\n");
    write("templates/a.yaml",
          "kind: A\nsize: {{ .Values.size }}\n{{- if .Values.more }}\nmore: 1\n{{- end }}\n");
    write("templates/b.yaml", "kind: B\n");
    write("tests/a_test.yaml",
          "suite: a\ntemplates: [a.yaml]\ntests:\n- it: t\n  set: {size: 2}\n  asserts:\n"
          "  - equal: {path: size, value: 2}\n");
  }
  ~CoveredChart() { fs::remove_all(folder_); }
  CoveredChart(const CoveredChart&) = delete;
  CoveredChart& operator=(const CoveredChart&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    const fs::path path = fs::path(folder_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string read(const std::string& name) const {
    return base::read_file(path(name), size_t{1} << 20).value_or("");
  }
  /// Runs `chartwright test` with flags.
  testing::Outcome test(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), "test");
    flags.push_back(folder_);
    return testing::run(flags);
  }

 private:
  const std::string folder_ =
      fs::temp_directory_path() / ("covered_chart_" + std::to_string(::getpid()));
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("Test prints the coverage of each template if that is asked for") {
  const CoveredChart chart;
  const testing::Outcome outcome = chart.test({"--coverage"});
  CHECK(outcome.code == kExitOk);
  INFO(outcome.out);
  CHECK(has(outcome.out,
            "Coverage of " + chart.folder() +
                "\n\n"
                "TEMPLATE             LINES          BRANCHES       NEVER RUN\n"
                "c/templates/a.yaml   75.0 % (3/4)   50.0 % (1/2)   4\n"
                "c/templates/b.yaml   0.0 % (0/1)    -              1\n"
                "All                  60.0 % (3/5)   50.0 % (1/2)   -\n"
                "\n"
                "Templates read 2 of the values in values.yaml; no test changes these 1:\n"
                "  more\n"));
  CHECK_FALSE(has(chart.test({}).out, "Coverage"));
}

TEST_CASE("All suites of a chart add up in its coverage, also those of a test that fails") {
  const CoveredChart chart;
  chart.write("tests/b_test.yaml",
              "suite: b\ntests:\n- it: t\n  set: {more: true}\n  asserts:\n"
              "  - equal: {path: size, value: 3}\n");
  const testing::Outcome outcome = chart.test({"--coverage"});
  CHECK(outcome.code == kExitError);
  INFO(outcome.out);
  CHECK(has(outcome.out, "All                  100.0 % (5/5)   100.0 % (2/2)   -\n"));
  CHECK_FALSE(has(outcome.out, "Templates read"));
}

TEST_CASE("Test writes the coverage as a tracefile, as a page, and among the results in JSON") {
  const CoveredChart chart;
  const testing::Outcome outcome =
      chart.test({"--coverage-lcov", chart.path("out/lcov.info"), "--coverage-html",
                  chart.path("out/page.html"), "-o", chart.path("out/r.json"), "-t", "JSON"});
  INFO(outcome.err);
  CHECK(outcome.code == kExitOk);
  CHECK(has(chart.read("out/lcov.info"), "SF:" + chart.path("templates/a.yaml") + "\n"));
  CHECK(has(chart.read("out/lcov.info"), "DA:4,0\nLF:4\nLH:3\nend_of_record\n"));
  CHECK(has(chart.read("out/page.html"), "<td>60.0 %</td><td>3/5</td>"));
  CHECK(has(chart.read("out/r.json"), "\"unsetValues\": [\n"));
  CHECK(has(outcome.out, "Coverage of "));
}

TEST_CASE("Test fails if the tests run fewer lines than they must") {
  const CoveredChart chart;
  CHECK(chart.test({"--coverage-min", "60"}).code == kExitOk);
  const testing::Outcome outcome = chart.test({"--coverage-min", "61"});
  CHECK(outcome.code == kExitError);
  CHECK(has(outcome.err, "--coverage-min: the tests of " + chart.folder() +
                             " run 60.0 % (3/5) of the lines of its templates, and must run "
                             "61 %"));
}

TEST_CASE("Flags about coverage with wrong values are errors") {
  const CoveredChart chart;
  CHECK(has(chart.test({"--coverage-min", "101"}).err,
            "--coverage-min: 101 is not a percentage from 0 to 100"));
  CHECK(has(chart.test({"--coverage-min", "much"}).err, "coverage-min"));
  CHECK(has(chart.test({"--coverage-lcov", "-"}).err,
            "--coverage-lcov: \"-\" is not a file: name one"));
  CHECK(has(chart.test({"--coverage-lcov", "x", "--coverage-html", "x"}).err,
            "--coverage-lcov and --coverage-html name the same file"));
  const testing::Outcome outcome =
      chart.test({"--coverage-html", chart.path("values.yaml/page.html")});
  CHECK(outcome.code == kExitError);
  CHECK(has(outcome.err, "--coverage-html: "));
}

TEST_CASE("A chart without templates has nothing that must be run") {
  const CoveredChart chart;
  fs::remove_all(chart.path("templates"));
  fs::remove_all(chart.path("tests"));
  const testing::Outcome outcome = chart.test({"--coverage-min", "100"});
  CHECK(has(outcome.out, "The chart has no templates.\n"));
  CHECK(outcome.code == kExitOk);
}

TEST_CASE("A long table is cut where the files have the rest") {
  coverage::ChartCoverage chart{.folder = "c\x1b"};
  coverage::FileCoverage& file = chart.files.emplace_back();
  file.name = "c/templates/a.yaml";
  for (size_t line = 1; line < 40; ++line) {
    file.lines[line] = line % 4 == 0 ? 1 : 0;
  }
  for (size_t i = 0; i < 50; ++i) {
    chart.defaults.unset.push_back("v" + std::to_string(i));
  }
  chart.defaults.total = 60;
  const std::string text = coverage_text(chart);
  INFO(text);
  CHECK(has(text, "Coverage of c\\u001b\n"));
  CHECK(has(text, " 1-3, 5-7, 9-11, 13-15, 17-19, 21-23, ...\n"));
  CHECK(has(text, "  v39\n  and 10 more, which --coverage-html and --output-type JSON have\n"));
}

}  // namespace
}  // namespace chartwright::cmd
