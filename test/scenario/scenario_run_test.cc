// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_run.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/strings.h"
#include "suite/results/tally.h"
#include "test/scenario/suites.h"

namespace chartwright::scenario {
namespace {

namespace fs = std::filesystem;

/// Runs the only scenario of a text about a chart.
suite::JobResult run_one(const std::string& text, const std::string& chart = "bookstore") {
  const suite::SuiteFile file = CW_MUST(testing::read(text, chart));
  REQUIRE(file.suites.size() == 1);
  REQUIRE(file.suites[0].scenarios.size() == 1);
  return file.suites[0].scenarios[0].run();
}

/// Returns what a scenario has to say: its error, and the lines of what failed.
std::string complaints(const suite::JobResult& result) {
  std::string text = result.error.value_or("");
  for (const suite::AssertionResult& one : result.assertions) {
    if (!one.passed) {
      text += one.place + " " + one.type + "\n" + base::join(one.lines, "\n") + "\n";
    }
  }
  return base::replace_all(text, source_dir() + "/charts/bookstore/tests/", "");
}

std::string run_shop(const std::string& steps, const std::string& given = "") {
  return complaints(run_one(testing::shop(steps, given)));
}

TEST_CASE("The scenarios of the bundles pass") {
  size_t count = 0;
  for (const auto& chart : fs::directory_iterator(source_dir() + "/charts")) {
    const fs::path tests = chart.path() / "tests";
    if (!fs::is_directory(tests)) {
      continue;
    }
    for (const auto& entry : fs::directory_iterator(tests)) {
      if (!entry.is_regular_file()) {
        continue;  // A folder of snapshots.
      }
      const std::string text = CW_MUST(base::read_file(entry.path().string(), size_t{1} << 20));
      const auto file = testing::read(text, chart.path().filename().string());
      INFO(entry.path() << (file.ok() ? "" : file.error().to_string()));
      REQUIRE(file.ok());
      CHECK(file->warnings.empty());
      for (const suite::Suite& suite : file->suites) {
        for (const suite::ScenarioTest& test : suite.scenarios) {
          ++count;
          INFO(test.name);
          CHECK(complaints(test.run()).empty());
        }
      }
    }
  }
  CHECK(count >= 6);
}

TEST_CASE("The example of the documentation runs") {
  const std::string page =
      CW_MUST(base::read_file(source_dir() + "/docs/author/test.md", size_t{1} << 20));
  const std::string head = "# charts/bookstore/tests/replicas_test.yaml\n";
  const size_t begin = page.find(head);
  REQUIRE(begin != std::string::npos);
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  const std::string failure = page.substr(page.find("- when[1].then[0]", begin));
  const suite::JobResult result = run_one(example);
  CHECK_FALSE(result.passed);
  REQUIRE(result.assertions.size() == 3);
  CHECK(result.assertions[0].passed);
  for (const std::string& line : result.assertions[1].lines) {
    CHECK_THAT(failure, Catch::Contains(line));
  }
  CHECK(result.assertions[2].passed);
}

TEST_CASE("A failure says what was expected, what there is, and what the operator has sent") {
  const std::string text = run_shop(
      "  - install:\n  - set: {bookApp.replicas: 3}\n    then:\n"
      "    - {object: Deployment/shop, equal: {path: spec.replicas, value: 2}}\n");
  CHECK(text ==
        "when[1].then[0] equal\n"
        "Object:\tDeployment/shop\n"
        "DocumentIndex:\t0\n"
        "ValuesIndex:\t0\n"
        "Path:\tspec.replicas\n"
        "Expected to equal:\n"
        "\t2\n"
        "Actual:\n"
        "\t3\n"
        "Diff:\n"
        "\t--- Expected\n"
        "\t+++ Actual\n"
        "\t@@ -1,2 +1,2 @@\n"
        "\t-2\n"
        "\t+3\n"
        "Step:\tset {\"bookApp.replicas\":3}\n"
        "Requests of the operator in this step:\n"
        "\tapply Deployment/shop\n"
        "\tget Secret/sh.helm.release.v1.shop.v1\n"
        "\tcreate Secret/sh.helm.release.v1.shop.v2\n"
        "\tpatch Secret/sh.helm.release.v1.shop.v1\n"
        "\tapply-status BookStore/shop\n"
        "\tget Deployment/shop\n"
        "\tget StatefulSet/shop-mongodb\n"
        "\tget Deployment/shop\n");
}

TEST_CASE("Each expectation fails where it does not hold") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{present: Deployment/other}",
       "Expected:\n\tDeployment/other\nActual:\n\tDeployment/shop\n"},
      {"{absent: Deployment/shop}",
       "Expected:\n\tno Deployment/shop\nActual:\n\tDeployment/shop is there\n"},
      {"{objects: [Deployment/shop, Service/shop, Service/shop-mongodb, Secret/a]}",
       "Expected:\n\tthese objects and no others\nActual:\n\tnot expected: "
       "StatefulSet/shop-mongodb\n\tmissing: Secret/a\n"},
      {"{object: Deployment/shop, owner: none}",
       "Expected:\n\tDeployment/shop with the owner none\nActual:\n\tBookStore/shop\n"},
      {"{object: Deployment/shop, owner: Service/shop}",
       "Expected:\n\tDeployment/shop with the owner Service/shop\nActual:\n\tBookStore/shop\n"},
      {"{object: Deployment/shop, manager: {path: spec.replicas, name: me}}",
       "Expected:\n\tspec.replicas of Deployment/shop managed by me\nActual:\n\toperator\n"},
      {"{object: Deployment/shop, manager: {path: spec.paused, name: me}}",
       "Expected:\n\tspec.paused of Deployment/shop managed by me\nActual:\n\tnobody\n"},
      {"{writes: 0}", "Expected:\n\t0 writes\nActual:\n\t"},
      {"{writes: {apply Service: 3}}", "Expected:\n\t3 x apply Service\nActual:\n\t2\n"},
      {"{condition: {type: Deployed, status: False}}",
       "Expected:\n\tcondition Deployed False\nActual:\n\t"},
      {"{condition: {type: Deployed}, not: true}",
       "Expected:\n\tno condition Deployed\nActual:\n\t"},
      {"{event: {reason: Sung, pattern: la}}",
       "Expected:\n\tEvent Sung about BookStore/shop, message =~ /la/\nActual:\n\t"},
      {"{revisions: []}", "Expected:\n\trevisions none\nActual:\n\t1 deployed\n"},
      {"{object: Job/a, owner: none}", "Expected:\n\tJob/a\nActual:\n\tno Job\n"},
  };
  for (const auto& [expectation, lines] : cases) {
    CHECK_THAT(run_shop("  - install:\n    then: [" + expectation + "]\n"), Catch::Contains(lines));
  }
}

TEST_CASE("A step that cannot be carried out ends the scenario") {
  const std::string then = "    then: [{writes: 0}]\n";
  CHECK(run_shop("  - delete: Deployment/shop\n" + then) ==
        "s.yaml:11:5: when[0] delete \"Deployment/shop\": there is no Deployment/shop");
  CHECK(run_shop("  - install:\n  - ready: Service/shop\n" + then) ==
        "s.yaml:12:5: when[1] ready \"Service/shop\": it is not known what makes a Service ready: "
        "use `status: {object: KIND/NAME, set: ...}`");
  CHECK_THAT(run_shop("  - install:\n  - install:\n" + then),
             Catch::StartsWith("s.yaml:12:5: when[1] install: "));
}

TEST_CASE("A scenario can say everything that happens to an operator") {
  SECTION("another chart") {
    CHECK(run_shop("  - install:\n  - chart: ../../podset\n    then:\n"
                   "    - absent: Deployment/shop\n    - present: Pod/shop-pod-0\n")
              .empty() == false);
    CHECK(run_shop("  - install:\n  - chart: ..\n    then: [{writes: 0}]\n").empty());
  }
  SECTION("a restart changes nothing") {
    CHECK(run_shop("  - install:\n  - restart:\n    then: [{writes: 0}]\n").empty());
  }
  SECTION("a paused custom resource is left alone") {
    CHECK(run_shop("  - install:\n  - annotate: {chartwright.io/paused: \"true\"}\n"
                   "  - set: {bookApp.replicas: 3}\n    then:\n"
                   "    - {object: Deployment/shop, equal: {path: spec.replicas, value: 2}}\n"
                   "  - annotate: {chartwright.io/paused: null}\n    then:\n"
                   "    - {object: Deployment/shop, equal: {path: spec.replicas, value: 3}}\n")
              .empty());
  }
  SECTION("a failed upgrade that is to be rolled back") {
    CHECK(run_shop(
              "  - install:\n"
              "  - refuse: {request: apply Deployment/shop, code: 422, message: no}\n"
              "  - set: {bookApp.replicas: 3, bookDB.replicas: 3}\n    then:\n"
              "    - {object: StatefulSet/shop-mongodb, equal: {path: spec.replicas, value: 1}}\n",
              "    watch: {onUpgradeFailure: rollback}\n")
              .empty());
  }
  SECTION("an object of somebody else") {
    CHECK(run_shop("  - install:\n    then:\n"
                   "    - {object: Service/shop, owner: none}\n"
                   "    - {condition: {type: Deployed, status: True}, not: true}\n",
                   "    objects: [{apiVersion: v1, kind: Service, metadata: {name: shop}}]\n")
              .empty());
  }
  SECTION("a status that a controller writes") {
    CHECK(run_shop("  - install:\n"
                   "  - status: {object: Deployment/shop, set: {readyReplicas: 1, replicas: 2}}\n"
                   "    then:\n"
                   "    - {object: BookStore/shop, equal: {path: status.bookApp.readyReplicas, "
                   "value: 1}}\n")
              .empty());
  }
}

TEST_CASE("The same scenario gives the same requests") {
  const std::string text =
      testing::shop("  - crash: {afterWrites: 2}\n  - install:\n    then: [{writes: 0}]\n");
  const std::string first = complaints(run_one(text));
  CHECK(first.find("create Secret") != std::string::npos);
  CHECK(complaints(run_one(text)) == first);
}

TEST_CASE("A scenario is a test like others in the counts") {
  suite::SuiteResult suite{.name = "s", .passed = false};
  suite.jobs.push_back(run_one(testing::shop("  - install:\n    then: [{writes: 0}]\n")));
  suite.jobs.push_back(run_one(testing::shop("  - ready: Pod/a\n    then: [{writes: 0}]\n")));
  const suite::Tally tally = suite::tally_of(suite);
  CHECK(tally.total == 2);
  CHECK(tally.failed == 1);
  CHECK(tally.errored == 1);
  CHECK_THAT(suite::details_of(suite.jobs[0]), Catch::Contains("- when[0].then[0] `writes` fail"));
}

}  // namespace
}  // namespace chartwright::scenario
