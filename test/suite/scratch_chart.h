// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/strings.h"
#include "suite/chart_tests.h"
#include "test/tmpl/fixture.h"

// Charts in a folder of their own, and what testing them prints.
namespace chartwright::suite {

inline constexpr size_t kFileBytesMax = size_t{1} << 20;

/// Returns the text of a file, which must exist.
inline std::string file_text(const std::filesystem::path& path) {
  const auto text = base::read_file(path.string(), kFileBytesMax);
  INFO(path);
  REQUIRE(text.ok());
  return *text;
}

/// A folder that exists as long as the object, named relative to the current one.
class ScratchFolder {
 public:
  ScratchFolder() { std::filesystem::create_directories(path_); }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path() const { return path_; }
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(path_) / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

 private:
  const std::string path_ = "suite_scratch_" + std::to_string(::getpid());
};

/// The output of a run, and its results.
struct TestRun {
  bool passed = false;
  std::string out;
  std::string err;
  std::vector<SuiteResult> results;
};

/// Tests the chart in a folder, and returns what that prints without the folder's name.
inline TestRun test_in(const ScratchFolder& folder, const TestOptions& options = {}) {
  const base::SystemClock clock;
  tmpl::StillHost host;
  TestRun run;
  const TestOutput output{[&](std::string_view text) { run.out += text; },
                          [&](std::string_view text) { run.err += text; },
                          [&](const SuiteResult& result) {
                            run.results.push_back(result);
                            std::string& file = run.results.back().file;
                            file = base::replace_all(file, folder.path() + "/", "");
                          }};
  RunState state;
  run.passed = test_chart(folder.path() + "/chart", options, {host, clock}, output, state);
  run.out += state.summary.text(base::Duration{}, options.color);
  run.out = base::replace_all(run.out, folder.path() + "/", "");
  run.out = base::replace_all(run.out, "Time:        0s\n", "");
  run.err = base::replace_all(run.err, folder.path() + "/", "");
  return run;
}

/// Writes a chart with one template, and a file of suites.
inline void write_chart(const ScratchFolder& folder, const std::string& suite) {
  folder.write("chart/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
  folder.write("chart/templates/a.yaml", "kind: A\nreplicas: {{ .Values.replicas }}\n");
  folder.write("chart/values.yaml", "replicas: 1\n");
  folder.write("chart/tests/a_test.yaml", suite);
}

inline constexpr const char* kSuite =
    "suite: s\ntemplate: a.yaml\ntests:\n- it: t\n  asserts:\n  - isKind: {of: A}\n";

}  // namespace chartwright::suite
