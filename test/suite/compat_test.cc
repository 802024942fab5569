// SPDX-License-Identifier: Apache-2.0
#include "suite/compat.h"

#include <catch2/catch.hpp>
#include <string>

#include "suite/results/results_file.h"
#include "test/suite/scratch_chart.h"

namespace chartwright::suite {
namespace {

constexpr const char* kSets =
    "- it: sets\n  capabilities: {majorVersion: 1, minorVersion: 30}\n"
    "  asserts:\n  - equal: {path: v, value: v1.30.0}\n";
constexpr const char* kRests = "- it: rests\n  asserts:\n  - equal: {path: v, value: v1.30.0}\n";
constexpr const char* kKeeps =
    "It passes with --compat, since helm-unittest keeps the version of Kubernetes (1.30) that the "
    "test \"sets\" of ";

void write_versions(const ScratchFolder& folder) {
  write_chart(folder, std::string("suite: s\ntests:\n") + kSets + kRests);
  folder.write("chart/templates/a.yaml", "v: {{ .Capabilities.KubeVersion.Version }}\n");
}

TEST_CASE("A test that rests on the version that another one sets is told so") {
  const ScratchFolder folder;
  write_versions(folder);
  const TestRun run = test_in(folder);
  CHECK_FALSE(run.passed);
  REQUIRE(run.results.front().jobs.size() == 2);
  CHECK(run.results.front().jobs[0].compat.empty());
  const std::string& told = run.results.front().jobs[1].compat;
  CHECK(told.starts_with(kKeeps));
  CHECK(told.ends_with("a_test.yaml sets: set `capabilities` in this one."));
  CHECK(run.out.find("\t\tIt passes with --compat, since") != std::string::npos);
  const std::string json = CW_MUST(results_text({run.results}, ResultsForm::kJson, {}));
  CHECK(json.find("\"compat\": \"It passes with --compat") != std::string::npos);
  const std::string xml = CW_MUST(results_text({run.results}, ResultsForm::kXUnit, {}));
  CHECK(xml.find("It passes with --compat") != std::string::npos);
}

TEST_CASE("The version may come from another suite, and tests that are skipped set none") {
  const ScratchFolder folder;
  write_versions(folder);
  folder.write("chart/tests/a_test.yaml", std::string("suite: s\ntests:\n") + kSets);
  folder.write("chart/tests/b_test.yaml", std::string("suite: t\ntests:\n") + kRests);
  CHECK(test_in(folder).results[1].jobs[0].compat.starts_with(kKeeps));
  folder.write("chart/tests/a_test.yaml",
               std::string("suite: s\nskip: {reason: no}\ntests:\n") + kSets);
  CHECK(test_in(folder).results[1].jobs[0].compat.empty());
}

TEST_CASE("A test that fails with --compat, too, is not said to pass") {
  const ScratchFolder folder;
  write_versions(folder);
  folder.write("chart/tests/a_test.yaml", std::string("suite: s\ntests:\n") + kSets +
                                              "- it: rests\n  asserts:\n"
                                              "  - equal: {path: v, value: v1.31.0}\n");
  CHECK(test_in(folder).results.front().jobs[1].compat.empty());
}

TEST_CASE("A test that rests on an assertion that never fails is told so") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\ntests:\n- it: t\n  asserts:\n"
              "  - notGreaterOrEqual: {path: replicas, value: 1}\n"
              "- it: u\n  asserts:\n  - notGreaterOrEqual: {path: replicas, value: 1}\n"
              "  - isKind: {of: B}\n");
  const TestRun run = test_in(folder);
  CHECK(run.results.front().jobs[0].compat ==
        "It passes with --compat, since helm-unittest never fails a negated greaterOrEqual.");
  CHECK(run.results.front().jobs[1].compat.empty());
}

TEST_CASE("To find out whether a test would pass leaves its snapshots as they are") {
  const ScratchFolder folder;
  write_chart(folder,
              "suite: s\ntests:\n- it: t\n  asserts:\n  - matchSnapshot: {path: replicas}\n"
              "  - notGreaterOrEqual: {path: replicas, value: 1}\n");
  const TestRun run = test_in(folder);
  CHECK_FALSE(run.results.front().jobs[0].compat.empty());
  CHECK(run.results.front().snapshots.total == 1);
  CHECK(file_text(folder.path() + "/chart/tests/__snapshot__/a_test.yaml.snap") ==
        "t:\n  1: |\n    1\n");
}

}  // namespace
}  // namespace chartwright::suite
