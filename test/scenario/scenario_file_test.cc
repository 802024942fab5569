// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "test/scenario/suites.h"

namespace chartwright::scenario {
namespace {

/// Returns the error of a text without the folder of its file.
std::string error_in(const std::string& text) {
  const auto read = testing::read(text, "podset");
  const std::string error = read.ok() ? "" : read.error().to_string();
  return base::replace_all(error, source_dir() + "/charts/podset/tests/", "");
}

/// Returns the error of a step, whose line is the eighth.
std::string error_of_step(const std::string& step) {
  return error_in(testing::pods("  - " + step + "\n"));
}

/// Returns the error of an expectation, in the flow of a step.
std::string error_of_then(const std::string& expectation) {
  return error_in(testing::pods("  - install:\n    then:\n    - " + expectation + "\n"));
}

TEST_CASE("A step that cannot be read has a position, and what would be right") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"unistall:",
       "s.yaml:8:5: scenarios[0].when[0].unistall: unknown step, did you mean `uninstall`?"},
      {"sing: 1",
       "s.yaml:8:5: scenarios[0].when[0].sing: unknown step: expected one of install, uninstall, "
       "set, annotate, rollback, chart, edit, delete, status, ready, refuse, crash, restart, wait"},
      {"{install: , wait: 1m}",
       "s.yaml:8:17: scenarios[0].when[0].wait: `install` and `wait` are two steps: write two "
       "elements"},
      {"then: []",
       "s.yaml:8:5: scenarios[0].when[0]: a step needs something that happens, as in `install:` or "
       "`wait: 1m`"},
      {"install: {a: 1}", "s.yaml:8:5: scenarios[0].when[0].install: takes no value"},
      {"set: 3", "s.yaml:8:5: scenarios[0].when[0].set: expected a map, got a number"},
      {"set: {}",
       "s.yaml:8:5: scenarios[0].when[0].set: expected values by their paths, as in {replicas: 2}"},
      {"annotate: {a: 1}",
       "s.yaml:8:5: scenarios[0].when[0].annotate: a: expected a string, as in \"true\", or null, "
       "which removes it"},
      {"rollback: last",
       "s.yaml:8:5: scenarios[0].when[0].rollback: expected the number of a revision, or "
       "`previous`"},
      {"wait: soon",
       "s.yaml:8:5: scenarios[0].when[0].wait: expected a duration up to 24h, as in 30s or 5m"},
      {"wait: 25h",
       "s.yaml:8:5: scenarios[0].when[0].wait: expected a duration up to 24h, as in 30s or 5m"},
      {"delete: Pot/p",
       "s.yaml:8:5: scenarios[0].when[0].delete: unknown kind \"Pot\", did you mean \"Pod\"?"},
      {"delete: p",
       "s.yaml:8:5: scenarios[0].when[0].delete: \"p\" names no object: expected KIND/NAME or "
       "KIND/NAMESPACE/NAME, as in Deployment/shop"},
      {"delete: Namespace/a/b",
       "s.yaml:8:5: scenarios[0].when[0].delete: \"Namespace/a/b\": objects of kind Namespace have "
       "no namespace"},
      {"edit: {object: Pod/p, sett: {a: 1}}",
       "s.yaml:8:5: scenarios[0].when[0].edit.set: expected values by their paths, as in "
       "{replicas: 2}"},
      {"edit: {object: Pod/p, set: {a: 1}, by: me}", "s.yaml:8:40: unknown key \"by\""},
      {"refuse: {request: applx Pod/p}",
       "s.yaml:8:14: scenarios[0].when[0].refuse.request: unknown verb \"applx\", did you mean "
       "\"apply\"?; expected VERB KIND/NAME, as in apply Deployment/shop"},
      {"refuse: {request: apply Pod/p, code: 200}",
       "s.yaml:8:36: scenarios[0].when[0].refuse.code: expected a status of HTTP that refuses, 400 "
       "to 599"},
      {"refuse: {request: apply Pod/p*}",
       "s.yaml:8:14: scenarios[0].when[0].refuse.request: the name must be whole: it is known "
       "before the request"},
      {"crash: {afterWrites: 0}",
       "s.yaml:8:13: scenarios[0].when[0].crash.afterWrites: expected a number from 1 to 1000"},
      {"crash: {}",
       "s.yaml:8:5: scenarios[0].when[0].crash.afterWrites: expected a number from 1 to 1000"},
  };
  for (const auto& [step, error] : cases) {
    CHECK(error_of_step(step) == error);
  }
  CHECK_THAT(error_of_step("chart: ../nowhere"),
             Catch::StartsWith("s.yaml:8:5: scenarios[0].when[0].chart: "));
}

TEST_CASE("An expectation that cannot be read has a position, and what would be right") {
  const std::string at = "scenarios[0].when[0].then[0]";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"equal: {path: a, value: 1}",
       "10:7: " + at + ".equal: an assertion needs `object: KIND/NAME` beside it"},
      {"writs: 1", "10:7: " + at + ".writs: unknown expectation, did you mean `writes`?"},
      {"{object: Pod/p, equals: {}}",
       "10:23: " + at + ".equals: Assertion type `equals` is invalid, did you mean `equal`?"},
      {"{object: Pod/p, hasDocuments: {count: 1}}",
       "10:23: " + at +
           ".hasDocuments: is about rendered templates, and cannot be asked of a live "
           "object"},
      {"{object: Pod/p, exists: {path: a}, template: x}",
       "10:42: " + at +
           ".template: `exists` and `template` are two expectations: write two "
           "elements"},
      {"object: Pod/p",
       "10:7: " + at +
           ": nothing is expected: write `present: KIND/NAME`, or an assertion beside "
           "`object`"},
      {"{writes: 1, objects: []}",
       "10:8: " + at +
           ".writes: `objects` and `writes` are two expectations: write two "
           "elements"},
      {"objects: {Pot: 1}",
       "10:17: " + at + ".objects.Pot: unknown kind \"Pot\", did you mean \"Pod\"?"},
      {"objects: {Pod: -1}",
       "10:17: " + at + ".objects.Pod: expected a number of objects, 0 or more"},
      {"objects: {Pod: some}",
       "10:17: " + at + ".objects.Pod: expected a whole number, got a string"},
      {"{writes: 0, not: true}", "10:19: " + at + ".not: `writes` cannot be negated"},
      {"writes: many", "10:7: " + at + ".writes: expected a whole number, got a string"},
      {"writes: -1", "10:7: " + at + ".writes: expected a number of writes, 0 or more"},
      {"writes: {apply Pot: 1}",
       "10:16: " + at + ".writes[\"apply Pot\"]: unknown kind \"Pot\", did you mean \"Pod\"?"},
      {"writes: {get Pod: 1}", "10:16: " + at + ".writes[\"get Pod\"]: a get is no write"},
      {"condition: {status: True}", "10:7: " + at + ".condition: expected at least {type: TYPE}"},
      {"condition: {type: Ready, status: Yes}",
       "10:32: " + at + ".condition.status: expected True, False or Unknown"},
      {"condition: {type: Ready, reazon: X}",
       "10:32: unknown key \"reazon\", did you mean \"reason\"?"},
      {"event: {type: Normal}", "10:7: " + at + ".event: expected at least {reason: REASON}"},
      {"event: {reason: A, pattern: (}",
       "10:26: " + at + ".event.pattern: error parsing regexp: missing closing ): `(`"},
      {"revisions: [{status: deployed}]",
       "10:19: " + at +
           ".revisions[0]: expected {number: N, status: STATUS}, as in {number: 1, "
           "status: deployed}"},
      {"owner: PodSet/p", "10:7: " + at + ".owner: needs `object: KIND/NAME` beside it"},
      {"{object: Pod/p, manager: {path: a}}",
       "10:23: " + at +
           ".manager: expected {path: PATH, name: MANAGER}; `operator` is the manager "
           "of the operator"},
  };
  for (const auto& [expectation, error] : cases) {
    CHECK(error_of_then(expectation) == "s.yaml:" + error);
  }
}

TEST_CASE("A scenario that lacks something says what") {
  const std::string steps = "  - install:\n    then: [{writes: 1}]\n";
  CHECK(error_in("suite: s\nscenarios: 1\n") ==
        "s.yaml:2:1: scenarios: expected a list, got a number");
  CHECK(error_in("suite: s\nscenarios:\n- given: {}\n") ==
        "s.yaml:3:3: scenarios[0]: a scenario needs a name: `it: SENTENCE`");
  CHECK(error_in("suite: s\nscenarios:\n- it: t\n  when: []\n") ==
        "s.yaml:3:3: scenarios[0].given.resource: expected a custom resource: {apiVersion: "
        "GROUP/VERSION, kind: KIND, metadata: {name: NAME}, spec: ...}");
  CHECK(error_in(testing::pods("  - install:\n")) ==
        "s.yaml:7:3: scenarios[0].when: no step has a `then`: nothing is expected");
  CHECK(error_in("suite: s\n") == "s.yaml:1:1: tests: no tests found");
  CHECK(error_in(testing::pods(steps, "    watch: {onUpgradeFailur: hold}\n")) ==
        "s.yaml:7:13: scenarios[0].given.watch.onUpgradeFailur: unknown option of watches.yaml, "
        "did you mean \"onUpgradeFailure\"?");
  CHECK(error_in(testing::pods(steps, "    watch: {kind: A}\n")) ==
        "s.yaml:7:13: scenarios[0].given.watch.kind: is known from the resource and the chart of "
        "the suite");
  CHECK_THAT(error_in(testing::pods(steps, "    watch: {onUpgradeFailure: never}\n")),
             Catch::StartsWith("s.yaml:7:5: scenarios[0].given.watch: "));
  CHECK(error_in(testing::pods(steps, "    objects: [{kind: A}]\n")) ==
        "s.yaml:7:15: scenarios[0].given.objects[0]: expected an object: {apiVersion: VERSION, "
        "kind: KIND, metadata: {name: NAME}, ...}");
}

TEST_CASE("A chart whose external objects are not simulated is refused") {
  const auto read = testing::read(
      "suite: s\nscenarios:\n- it: t\n  given:\n    resource:\n"
      "      {apiVersion: petstore.example.com/v1alpha1, kind: Pet, metadata: {name: p}}\n"
      "  when:\n  - install:\n    then: [{writes: 1}]\n",
      "pet");
  REQUIRE_FALSE(read.ok());
  CHECK_THAT(read.error().message(), Catch::Contains("it has operator/externals"));
}

TEST_CASE("Without a reader, scenarios are a key that nothing reads") {
  const auto read = suite::read_suite_file(
      "suite: s\ntests:\n- it: t\n  asserts: [{isKind: {of: A}}]\nscenarios: []\n", "f.yaml");
  REQUIRE(read.ok());
  CHECK(read->warnings == std::vector<std::string>{"f.yaml:5:1: unknown key \"scenarios\""});
}

}  // namespace
}  // namespace chartwright::scenario
