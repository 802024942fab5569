// SPDX-License-Identifier: Apache-2.0
#include "suite/chart_tests.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/file.h"
#include "base/strings.h"
#include "test/source_dir.h"
#include "test/tmpl/fixture.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFileBytesMax = size_t{1} << 20;

std::string file_text(const fs::path& path) {
  const auto text = base::read_file(path.string(), kFileBytesMax);
  INFO(path);
  REQUIRE(text.ok());
  return *text;
}

/// A folder that exists as long as the object, named relative to the current one.
class ScratchFolder {
 public:
  ScratchFolder() { fs::create_directories(path_); }
  ~ScratchFolder() { fs::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path() const { return path_; }
  void write(const std::string& file, const std::string& text) const {
    const fs::path path = fs::path(path_) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

 private:
  const std::string path_ = "suite_scratch_" + std::to_string(::getpid());
};

struct TestRun {
  bool passed = false;
  std::string out;
  std::string err;
};

/// Tests the chart in a folder, and returns what that prints without the folder's name.
TestRun test_in(const ScratchFolder& folder, const TestOptions& options = {}) {
  const base::SystemClock clock;
  tmpl::StillHost host;
  TestRun run;
  const TestOutput output{[&](std::string_view text) { run.out += text; },
                          [&](std::string_view text) { run.err += text; }};
  Summary summary;
  run.passed = test_chart(folder.path() + "/chart", options, {host, clock}, output, summary);
  run.out += summary.text(base::Duration{});
  run.out = base::replace_all(run.out, folder.path() + "/", "");
  run.out = base::replace_all(run.out, "Time:        0s\n", "");
  run.err = base::replace_all(run.err, folder.path() + "/", "");
  return run;
}

std::map<std::string, std::string> snapshot_files(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".snap") {
      files[entry.path().filename().string()] = file_text(entry.path());
    }
  }
  return files;
}

TEST_CASE("Suites print what helm-unittest prints, and leave its snapshots") {
  size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/test/suites")) {
    if (!entry.is_directory()) {
      continue;
    }
    ++cases;
    const ScratchFolder folder;
    fs::copy(entry.path() / "chart", folder.path() + "/chart", fs::copy_options::recursive);
    INFO(entry.path());
    CHECK(test_in(folder).out == file_text(entry.path() / "want.txt"));
    TestOptions update;
    update.snapshots = SnapshotUse::kUpdate;
    test_in(folder, update);
    const fs::path wanted = entry.path() / "want_snapshots";
    CHECK(snapshot_files(folder.path() + "/chart") ==
          (fs::exists(wanted) ? snapshot_files(wanted) : std::map<std::string, std::string>()));
  }
  CHECK(cases >= 4);
}

void write_chart(const ScratchFolder& folder, const std::string& suite) {
  folder.write("chart/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
  folder.write("chart/templates/a.yaml", "kind: A\nreplicas: {{ .Values.replicas }}\n");
  folder.write("chart/values.yaml", "replicas: 1\n");
  folder.write("chart/tests/a_test.yaml", suite);
}

constexpr const char* kSuite =
    "suite: s\ntemplate: a.yaml\ntests:\n- it: t\n  asserts:\n  - isKind: {of: A}\n";

TEST_CASE("A key that nothing reads is a warning, and an error if that is asked for") {
  const ScratchFolder folder;
  write_chart(folder, kSuite);
  const TestRun run = test_in(folder);
  CHECK(run.passed);
  CHECK(run.err ==
        "WARNING: chart/tests/a_test.yaml:2:1: unknown key \"template\", did you mean "
        "\"templates\"?\n");
  TestOptions options;
  options.strict = true;
  CHECK_FALSE(test_in(folder, options).passed);
}

TEST_CASE("Values files of the command line override those of a suite") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\nvalues: [one.yaml]\ntests:\n- it: t\n  asserts:\n"
              "  - equal: {path: replicas, value: 3}\n");
  folder.write("chart/tests/one.yaml", "replicas: 2\n");
  folder.write("three.yaml", "replicas: 3\n");
  CHECK_FALSE(test_in(folder).passed);
  TestOptions options;
  options.values = {fs::absolute(folder.path() + "/three.yaml").string()};
  CHECK(test_in(folder, options).passed);
}

TEST_CASE("The first test that fails ends the run if that is asked for") {
  const ScratchFolder folder;
  const std::string job = "- it: t\n  asserts:\n  - isKind: {of: B}\n  - isKind: {of: C}\n";
  write_chart(folder, "suite: s\ntests:\n" + job + job + "---\nsuite: other\ntests:\n" + job);
  TestOptions options;
  options.fail_fast = FailFast::kYes;
  const TestRun run = test_in(folder, options);
  CHECK(run.out.find("Tests:       1 failed, 0 passed, 1 total") != std::string::npos);
  CHECK(run.out.find("asserts[1]") == std::string::npos);
}

TEST_CASE("A chart or a file that cannot be read is an error of the run") {
  const ScratchFolder folder;
  CHECK_FALSE(test_in(folder).passed);
  write_chart(folder, "suite: [\n");
  const TestRun run = test_in(folder);
  CHECK_FALSE(run.passed);
  CHECK(run.out.find("### Error:  chart/tests/a_test.yaml: yaml: line 1") != std::string::npos);
  write_chart(folder, kSuite);
  folder.write("chart/tests/__snapshot__/a_test.yaml.snap", "- 1\n");
  CHECK(test_in(folder).out.find("a snapshot file is a map") != std::string::npos);
}

TEST_CASE("A chart with more files than are searched is an error of the run") {
  const ScratchFolder folder;
  write_chart(folder, kSuite);
  for (int i = 0; i < 10'000; ++i) {
    folder.write("chart/files/" + std::to_string(i), "");
  }
  const TestRun run = test_in(folder);
  CHECK_FALSE(run.passed);
  CHECK(run.out.find("has more than 10000 files") != std::string::npos);
}

TEST_CASE("The capabilities of a job end with it") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\ntests:\n- it: sets\n  capabilities: {majorVersion: 1, minorVersion: 20}\n"
              "  asserts:\n  - equal: {path: v, value: v1.20.0}\n"
              "- it: does not\n  asserts:\n  - notEqual: {path: v, value: v1.20.0}\n");
  folder.write("chart/templates/a.yaml", "v: {{ .Capabilities.KubeVersion.Version }}\n");
  CHECK(test_in(folder).passed);
}

}  // namespace
}  // namespace chartwright::suite
