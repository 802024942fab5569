// SPDX-License-Identifier: Apache-2.0
#include "release/hook.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::release {
namespace {

using value::testing::json;

Hook hook(const std::string& name, int weight, std::vector<std::string> events) {
  Hook one;
  one.path = "chart/templates/" + name + ".yaml";
  one.text = "kind: Job\n# " + name;
  one.kind = "Job";
  one.name = name;
  one.events = std::move(events);
  one.weight = weight;
  return one;
}

std::vector<std::string> names(const std::vector<Hook>& hooks) {
  std::vector<std::string> all;
  for (const Hook& one : hooks) {
    all.push_back(one.name);
  }
  return all;
}

TEST_CASE("Hooks of an event run by weight, then by name") {
  const std::vector<Hook> hooks = {hook("b", 0, {"pre-install", "pre-upgrade"}),
                                   hook("z", -5, {"pre-install"}), hook("a", 0, {"pre-install"}),
                                   hook("late", 3, {"pre-install"}),
                                   hook("other", -9, {"post-install", "test"})};
  CHECK(names(hooks_of(hooks, HookEvent::kPreInstall)) ==
        std::vector<std::string>{"z", "a", "b", "late"});
  CHECK(names(hooks_of(hooks, HookEvent::kPreUpgrade)) == std::vector<std::string>{"b"});
  CHECK(names(hooks_of(hooks, HookEvent::kPostInstall)) == std::vector<std::string>{"other"});
  CHECK(hooks_of(hooks, HookEvent::kPostDelete).empty());
}

TEST_CASE("A hook without policies is deleted before it runs again") {
  Hook one = hook("a", 0, {});
  CHECK(one.has_policy(HookDeletion::kBeforeCreation));
  CHECK_FALSE(one.has_policy(HookDeletion::kSucceeded));
  one.delete_policies = {"hook-succeeded", "hook-failed"};
  CHECK_FALSE(one.has_policy(HookDeletion::kBeforeCreation));
  CHECK(one.has_policy(HookDeletion::kSucceeded));
  CHECK(one.has_policy(HookDeletion::kFailed));
}

TEST_CASE("Hooks in a record are Helm's, and are read back") {
  Hook one = hook("migrate", -2, {"pre-upgrade"});
  one.delete_policies = {"hook-succeeded"};
  one.output_log_policies = {"hook-failed"};
  const std::string text = CW_MUST(value::to_json(hooks_to_record({one})));
  CHECK(text == R"([{"delete_policies":["hook-succeeded"],"events":["pre-upgrade"],"kind":"Job",)"
                R"("last_run":{"completed_at":"","phase":"","started_at":""},)"
                R"("manifest":"kind: Job\n# migrate","name":"migrate",)"
                R"("output_log_policies":["hook-failed"],"path":"chart/templates/migrate.yaml",)"
                R"("weight":-2}])");
  CHECK(hooks_from_record(CW_MUST(value::parse_json(text, value::Numbers::kFloat64))) ==
        std::vector<Hook>{one});
}

TEST_CASE("Items of a record that are not hooks are left out") {
  for (const std::string_view text :
       {"null", "{}", "[1,null,\"x\"]", R"([{"name":"a","weight":1e300}])"}) {
    CAPTURE(text);
    CHECK(hooks_from_record(CW_MUST(value::parse_json(text, value::Numbers::kFloat64))).empty());
  }
  const auto odd = hooks_from_record(CW_MUST(value::parse_json(
      R"([{"manifest":"x","weight":1e300,"events":[1,"test"]}])", value::Numbers::kFloat64)));
  REQUIRE(odd.size() == 1);
  CHECK(odd.front().weight == 0);
  CHECK(odd.front().events == std::vector<std::string>{"test"});
}

TEST_CASE("The text of a release tells its manifest from its hooks") {
  const Hook one = hook("a", 0, {"pre-install"});
  const std::string manifest = "kind: ConfigMap\n";
  CHECK(CW_MUST(text_of_release(manifest, {})) == manifest);
  const std::string all = CW_MUST(text_of_release(manifest, {one}));
  CHECK(all.starts_with(manifest + '\0'));
  Hook other = one;
  other.weight = 1;
  CHECK(CW_MUST(text_of_release(manifest, {other})) != all);
}

TEST_CASE("Tests are no part of the text of a release, but of that of earlier versions") {
  const Hook one = hook("a", 0, {"pre-install"});
  const Hook test = hook("b", 0, {"test"});
  const Hook both = hook("c", 0, {"test", "post-install"});
  const std::string manifest = "kind: ConfigMap\n";
  CHECK(CW_MUST(text_of_release(manifest, {test})) == manifest);
  CHECK(CW_MUST(text_of_release(manifest, {one, test})) ==
        CW_MUST(text_of_release(manifest, {one})));
  CHECK(CW_MUST(text_of_release(manifest, {one, both})) !=
        CW_MUST(text_of_release(manifest, {one})));
  CHECK(CW_MUST(former_text_of_release(manifest, {one, test})) !=
        CW_MUST(text_of_release(manifest, {one})));
  CHECK(CW_MUST(former_text_of_release(manifest, {one})) ==
        CW_MUST(text_of_release(manifest, {one})));
}

TEST_CASE("A Job or Pod runs until it has completed or failed") {
  struct Case {
    std::string object;
    HookState state;
    std::string message;
  };
  const std::string job = R"({"apiVersion":"batch/v1","kind":"Job")";
  const std::string pod = R"({"apiVersion":"v1","kind":"Pod")";
  const std::vector<Case> cases = {
      {job + "}", HookState::kRunning, "0 pods active, 0 failed"},
      {job + R"(,"status":{"active":1,"failed":2}})", HookState::kRunning,
       "1 pods active, 2 failed"},
      {job + R"(,"status":{"conditions":[{"type":"Complete","status":"False"}]}})",
       HookState::kRunning, "0 pods active, 0 failed"},
      {job + R"(,"status":{"conditions":[{"type":"Complete","status":"True"}]}})",
       HookState::kSucceeded, ""},
      {job + R"(,"status":{"conditions":[{"type":"Failed","status":"True",)"
             R"("reason":"BackoffLimitExceeded","message":"too often"}]}})",
       HookState::kFailed, "BackoffLimitExceeded: too often"},
      {pod + "}", HookState::kRunning, "phase Pending"},
      {pod + R"(,"status":{"phase":"Running"}})", HookState::kRunning, "phase Running"},
      {pod + R"(,"status":{"phase":"Succeeded"}})", HookState::kSucceeded, ""},
      {pod + R"(,"status":{"phase":"Failed","reason":"Evicted"}})", HookState::kFailed, "Evicted"},
      {R"({"apiVersion":"v1","kind":"ConfigMap"})", HookState::kSucceeded, ""},
      {R"({"apiVersion":"example.com/v1","kind":"Job"})", HookState::kSucceeded, ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.object);
    const HookVerdict verdict = judge_hook(json(one.object));
    CHECK(verdict.state == one.state);
    CHECK(verdict.message == one.message);
  }
}

}  // namespace
}  // namespace chartwright::release
