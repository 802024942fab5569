// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "test/cmd/command.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;

/// A chart with one suite, whose assertion is given.
class TestedChart {
 public:
  explicit TestedChart(const std::string& assertion) {
    write("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
    write("values.yaml", "size: 1\n");
    write("templates/a.yaml",
          "kind: A\nsize: {{ .Values.size }}\nhelm: {{ .Capabilities.HelmVersion.Version }}\n");
    write("tests/a_test.yaml", "suite: s\ntests:\n- it: t\n  asserts:\n  - " + assertion + "\n");
  }
  ~TestedChart() { fs::remove_all(folder_); }
  TestedChart(const TestedChart&) = delete;
  TestedChart& operator=(const TestedChart&) = delete;

  const std::string& folder() const { return folder_; }
  void write(const std::string& name, const std::string& text) const {
    const fs::path path = fs::path(folder_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

 private:
  const std::string folder_ =
      fs::temp_directory_path() / ("tested_chart_" + std::to_string(::getpid()));
};

TEST_CASE("The exit code of test says whether all tests passed") {
  const TestedChart chart("equal: {path: size, value: 1}");
  const testing::Outcome passed = testing::run({"test", chart.folder()});
  CHECK(passed.code == kExitOk);
  CHECK(passed.out.find("Tests:       1 passed, 1 total") != std::string::npos);
  chart.write("more.yaml", "size: 2\n");
  const testing::Outcome failed =
      testing::run({"test", "-v", chart.folder() + "/more.yaml", chart.folder()});
  CHECK(failed.code == kExitError);
  CHECK(failed.out.find("Tests:       1 failed, 0 passed, 1 total") != std::string::npos);
  CHECK(testing::run({"test", chart.folder() + "/missing"}).code == kExitError);
}

TEST_CASE("Test renders as the version of Helm that is asked for") {
  const TestedChart chart("matchRegex: {path: helm, pattern: ^v4}");
  CHECK(testing::run({"test", chart.folder()}).code == kExitError);
  CHECK(testing::run({"test", "--helm-version", "4.3", chart.folder()}).code == kExitOk);
}

TEST_CASE("Test takes files by patterns, and updates snapshots only if that is asked for") {
  const TestedChart chart("matchSnapshot: {path: size}");
  CHECK(testing::run({"test", "-f", "other/*.yaml", chart.folder()})
            .out.find("Tests:       0 passed") != std::string::npos);
  CHECK(testing::run({"test", "-f", "**/a_test.yaml", chart.folder()}).code == kExitOk);
  chart.write("values.yaml", "size: 2\n");
  CHECK(testing::run({"test", chart.folder()}).code == kExitError);
  CHECK(testing::run({"test", "-u", chart.folder()}).code == kExitOk);
  CHECK(testing::run({"test", chart.folder()}).code == kExitOk);
}

TEST_CASE("Suites run programs only if that is allowed") {
  const TestedChart chart("equal: {path: size, value: 2}");
  chart.write("tests/a_test.yaml",
              "suite: s\npostRenderer: {cmd: sed, args: ['s/size: 1/size: 2/']}\ntests:\n- it: t\n"
              "  template: a.yaml\n  asserts:\n  - equal: {path: size, value: 2}\n");
  const testing::Outcome refused = testing::run({"test", chart.folder()});
  CHECK(refused.code == kExitError);
  CHECK(refused.out.find("allow that with --allow-exec") != std::string::npos);
  CHECK(testing::run({"test", "--allow-exec", chart.folder()}).code == kExitOk);
}

TEST_CASE("Scenarios are tests in the report, in all files of results, and not with --compat") {
  const TestedChart chart("equal: {path: size, value: 1}");
  chart.write("templates/a.yaml",
              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n"
              "size: {{ .Values.size }}\n");
  chart.write(
      "tests/b_test.yaml",
      "suite: o\nscenarios:\n- it: installs\n  given:\n    resource:\n"
      "      {apiVersion: a.example.com/v1, kind: A, metadata: {name: m}}\n"
      "  when:\n  - install:\n    then:\n    - writes: {apply ConfigMap: 2}\n"
      "- {it: rests, skip: {reason: later}, given: {resource: {apiVersion: a.example.com/v1, "
      "kind: A, metadata: {name: m}}}, when: [{install: , then: [{writes: 0}]}]}\n");
  const testing::Outcome report = testing::run({"test", chart.folder()});
  CHECK(report.code == kExitError);
  CHECK(report.out.find("- when[0].then[0] `writes` fail") != std::string::npos);
  CHECK(report.out.find("apply ConfigMap/m") != std::string::npos);
  CHECK(report.out.find("Tests:       1 failed, 1 passed, 1 skipped, 3 total") !=
        std::string::npos);
  for (const std::string form : {"JUnit", "NUnit", "XUnit", "Sonar", "JSON"}) {
    INFO(form);
    const std::string out = testing::run({"test", "-o", "-", "-t", form, chart.folder()}).out;
    CHECK(out.find("installs") != std::string::npos);
    CHECK(out.find("when[0].then[0]") != std::string::npos);
  }
  const testing::Outcome compat = testing::run({"test", "--compat", chart.folder()});
  CHECK(compat.out.find("no tests found") != std::string::npos);
}

}  // namespace
}  // namespace chartwright::cmd
