// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_file.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace chartwright::suite {
namespace {

std::string error_of(std::string_view text) {
  const auto read = read_suite_file(text, "f.yaml");
  return read.ok() ? "" : read.error().to_string();
}

/// Returns the error of a suite with this assertion.
std::string error_of_assertion(const std::string& assertion) {
  return error_of("suite: s\ntests:\n- it: t\n  asserts:\n  - " + assertion + "\n");
}

TEST_CASE("An assertion that cannot be read has a position, and what would be right") {
  CHECK(error_of_assertion("equals: {}") ==
        "f.yaml:5:5: tests[0].asserts[0].equals: Assertion type `equals` is invalid, did you mean "
        "`equal`?");
  CHECK(error_of_assertion("{equal: {}, exists: {}}") ==
        "f.yaml:5:17: tests[0].asserts[0].exists: assertion type `equal` and `exists` is declared "
        "duplicately");
  CHECK(error_of_assertion("not: true") ==
        "f.yaml:5:5: tests[0].asserts[0]: no assertion type defined");
  CHECK(error_of_assertion("equal: 1") ==
        "f.yaml:5:5: tests[0].asserts[0].equal: expected a map, got a number");
  CHECK(error_of_assertion("equal: {path: [a]}") ==
        "f.yaml:5:13: tests[0].asserts[0].equal.path: expected a string, got a list");
  CHECK(
      error_of_assertion("hasDocuments: {count: x}") ==
      "f.yaml:5:20: tests[0].asserts[0].hasDocuments.count: expected a whole number, got a string");
  CHECK(error_of_assertion("{isKind: {of: A}, not: 1}") ==
        "f.yaml:5:23: tests[0].asserts[0].not: expected true or false, got a number");
  CHECK(error_of_assertion("{isKind: {of: A}, documentSelector: {value: 1}}") ==
        "f.yaml:5:23: tests[0].asserts[0].documentSelector: empty 'documentSelector.path' not "
        "supported");
}

TEST_CASE("A suite that cannot be read has a position") {
  CHECK(error_of("suite: s\n") == "f.yaml:1:1: tests: no tests found");
  CHECK(error_of("suite: s\ntests:\n- it: t\n") ==
        "f.yaml:3:3: tests[0].asserts: no asserts found");
  CHECK(error_of("suite: s\nvalues: a\ntests: []\n") ==
        "f.yaml:2:1: values: expected a list, got a string");
  CHECK(error_of("- a\n") == "f.yaml:1:1: expected a map, got a list");
  CHECK(error_of("a: 1\n---\nset: []\ntests: []\n").substr(0, 10) == "f.yaml:1:1");
  CHECK(error_of("a: 1\na: 2\n") ==
        "f.yaml: yaml: unmarshal errors:\n  line 2: mapping key \"a\" already defined at line 1");
}

TEST_CASE("A test has its own post-renderer, or that of its suite") {
  const std::string tests =
      "tests:\n- it: own\n  postRenderer: {cmd: sed, args: [-e, p]}\n  asserts:\n"
      "  - isKind: {of: A}\n- it: inherits\n  asserts:\n  - isKind: {of: A}\n";
  const auto read = read_suite_file("suite: s\npostRenderer: {cmd: cat}\n" + tests, "f.yaml");
  REQUIRE(read.ok());
  const std::vector<Job>& jobs = read->suites.front().jobs;
  CHECK(jobs[0].settings.post_renderer.program == "sed");
  CHECK(jobs[0].settings.post_renderer.arguments == std::vector<std::string>{"-e", "p"});
  CHECK(jobs[0].settings.post_renderer.pos.to_string() == "f.yaml:5:3");
  CHECK(jobs[1].settings.post_renderer.program == "cat");
  CHECK(error_of("suite: s\npostRenderer: {cmd: [cat]}\ntests: []\n") ==
        "f.yaml:2:16: postRenderer.cmd: expected a string, got a list");
  const auto empty = read_suite_file("suite: s\npostRenderer: {args: [a]}\n" + tests, "f.yaml");
  REQUIRE(empty.ok());
  CHECK(empty->warnings ==
        std::vector<std::string>{"f.yaml:2:1: postRenderer has no `cmd`, so it runs nothing"});
}

TEST_CASE("An object that is not a map is an error") {
  CHECK(error_of("suite: s\nkubernetesProvider: {objects: [1]}\ntests: []\n") ==
        "f.yaml:2:22: kubernetesProvider.objects: expected a list of maps");
}

TEST_CASE("Positions count the lines of the suites before") {
  const auto read = read_suite_file(
      "suite: a\ntests:\n- asserts:\n  - isKind: {of: A}\n---\nsuite: b\ntest: x\ntests:\n- "
      "asserts:\n"
      "  - isKind: {of: A, off: B}\n---\n# nothing\n---\n",
      "f.yaml");
  REQUIRE(read.ok());
  CHECK(read->suites.size() == 2);
  CHECK(read->warnings ==
        std::vector<std::string>{"f.yaml:10:21: unknown key \"off\", did you mean \"of\"?",
                                 "f.yaml:7:1: unknown key \"test\", did you mean \"tests\"?"});
  CHECK(read->suites[1].jobs[0].assertions[0].pos.line == 10);
}

TEST_CASE("A job takes what it leaves out from its suite") {
  const auto read = read_suite_file(
      "suite: s\nvalues: [a]\nrelease: {name: n, revision: 2}\nchart: {version: 1}\n"
      "capabilities: {minorVersion: 20, apiVersions: [x]}\nskip: {minimumVersion: 2.0.0}\n"
      "tests:\n- values: [b]\n  release: {name: m, upgrade: true}\n  capabilities: {apiVersions: "
      "[y]}\n"
      "  asserts: [isKind: {of: A}]\n",
      "f.yaml");
  REQUIRE(read.ok());
  const Settings& settings = read->suites[0].jobs[0].settings;
  CHECK(settings.values == std::vector<std::string>{"a", "b"});
  CHECK(settings.release_name == "m");
  CHECK(settings.revision == 2);
  CHECK(settings.upgrade);
  CHECK(settings.chart_version == "1");
  CHECK(settings.minor_version == "20");
  CHECK(settings.api_versions == std::vector<std::string>{"y", "x"});
  CHECK(settings.skip_reason ==
        "Test suite requires minimum unittest plugin version 2.0.0, but current version is 1.1.2");
}

}  // namespace
}  // namespace chartwright::suite
