// SPDX-License-Identifier: Apache-2.0
#include "resource/cr_status.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "health/condition_types.h"
#include "resource/annotations.h"
#include "test/value/json_text.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using value::testing::json;

const base::WallTime kNow = CW_MUST(base::parse_rfc3339("2026-01-02T03:04:05Z"));
const base::WallTime kLater = CW_MUST(base::parse_rfc3339("2026-01-02T04:00:00Z"));

kube::ObjectRef child(const std::string& name) {
  return {{"apps", "v1", "Deployment"}, "shop", name};
}

/// A custom resource with one deployed revision, and its status.
struct Situation {
  CrState state;
  StatusInput input;

  Situation() {
    state.progress = Progress({.revision = 1, .inputs = "key"});
    state.notes = "Hello.";
    state.history = {{1, "deployed", "Install complete", "w-1", "sha256:a", "t"}};
    input.generation = 7;
    input.now = kNow;
  }
  void failed(Phase phase, Activity activity, const std::string& message = "it broke") {
    input.failure = Failure{phase, Error(ErrorCode::kInternal, message), "key"};
    input.activity = activity;
  }
  static bool holds(const Value& status, std::string_view reason) {
    return std::ranges::any_of(
        status.find("conditions")->as_list().items, [reason](const Value& c) {
          return c.string_at({"type"}) != "Ready" &&
                 (c.string_at({"type"}) == reason || c.string_at({"reason"}) == reason);
        });
  }
  /// Every condition of the operator has one of the reasons of its type. Ready may also name
  /// another condition, or the reason of one.
  Value build() const {
    Value status = build_status(state, input);
    for (const Value& c : status.find("conditions")->as_list().items) {
      const std::string_view name = c.string_at({"type"});
      const auto types = health::condition_types();
      const auto known = std::ranges::find(types, name, &health::ConditionType::name);
      if (known != types.end()) {
        CAPTURE(name);
        const auto reasons = (*known)->reasons();
        const bool is_own = std::ranges::find(reasons, c.string_at({"reason"})) != reasons.end();
        CHECK((is_own || (name == "Ready" && holds(status, c.string_at({"reason"})))));
      }
    }
    return status;
  }
  Value condition(std::string_view type) const {
    const Value status = build();
    for (const Value& c : status.find("conditions")->as_list().items) {
      if (c.string_at({"type"}) == type) {
        return c;
      }
    }
    return Value();
  }
  /// "True Reason: message", or "absent".
  std::string says(std::string_view type) const {
    const Value c = condition(type);
    return c.is_nil()
               ? "absent"
               : std::string(c.string_at({"status"})) + " " + std::string(c.string_at({"reason"})) +
                     ": " + std::string(c.string_at({"message"}));
  }
};

TEST_CASE("The release in force is named, as by helm-operator, but not its manifest") {
  Situation s;
  s.input.release = "w";
  CHECK(value::json_equal(*s.build().find("deployedRelease"), json(R"({"name":"w"})")));
  s.input.uninstallation = Uninstallation::kWaiting;
  CHECK(value::json_equal(*s.build().find("deployedRelease"), json(R"({"name":"w"})")));
  s.input.uninstallation = Uninstallation::kDone;
  CHECK(s.build().find("deployedRelease") == nullptr);
  s.input.uninstallation = Uninstallation::kNone;
  s.state.progress.take_over(0);
  CHECK(s.build().find("deployedRelease") == nullptr);
}

TEST_CASE("An uninstallation is reported in helm-operator's words") {
  Situation s;
  s.input.uninstallation = Uninstallation::kWaiting;
  CHECK(s.says("Deployed") ==
        "False UninstallSuccessful: Waiting until all resources are deleted.");
  s.input.uninstallation = Uninstallation::kDone;
  CHECK(s.says("Deployed") == "False UninstallSuccessful: ");
}

TEST_CASE("A failure is reported in Helm's words, with a limited amount of help") {
  Situation s;
  const std::string line(100, 'x');
  s.input.failure = Failure{Phase::kRender,
                            Error(ErrorCode::kTemplate, "template: f:1:2: executing")
                                .at({"f", 1, 3})
                                .with_help("f:1:3\n" + line),
                            "key"};
  s.input.activity = Activity::kStalled;
  CHECK(s.says("Ready") == "False ReconcileError: template: f:1:2: executing");
  CHECK(s.says("Irreconcilable") ==
        "True ReconcileError: template: f:1:2: executing\nf:1:3\n" + line);
  s.input.failure->error = Error(ErrorCode::kTemplate, "short").with_help(std::string(5000, 'x'));
  CHECK(s.says("Irreconcilable").size() < 1100);
}

TEST_CASE("Keys that nothing reads are named, a limited number and length of them") {
  Situation s;
  CHECK(s.says("UnknownKeys") == "absent");
  s.input.unread_keys = {R"("a" is read by no template)", R"("b" is read by no template)"};
  CHECK(s.says("UnknownKeys") ==
        R"(True UnreadKeys: "a" is read by no template; "b" is read by no template)");
  CHECK(s.says("Ready") ==
        "True UnknownKeys: all children are ready; see the condition UnknownKeys");
  s.input.unread_keys = std::vector<std::string>(12, std::string(1000, 'x'));
  CHECK(s.says("UnknownKeys").size() < 4000);
  CHECK_THAT(s.says("UnknownKeys"), Catch::Matchers::EndsWith("; and 2 more"));
}

TEST_CASE("A custom resource whose first release has not been tried") {
  Situation s;
  s.state = CrState();
  s.input.activity = Activity::kWorking;
  CHECK(s.says("Initialized") == "True Initialized: ");
  CHECK(s.says("Deployed") == "absent");
  CHECK(s.says("Ready") == "Unknown Progressing: applying children");
  CHECK(s.says("Reconciling") == "True Progressing: see the condition Ready");
  CHECK(s.says("Stalled") == "absent");
  CHECK(s.build().find("revision") == nullptr);
  CHECK(s.build().find("history") == nullptr);
  CHECK(s.build().find("inputs") == nullptr);
  CHECK(s.build().find("pin") == nullptr);
  CHECK(s.build().find("observedGeneration")->as_int() == 7);
}

TEST_CASE("A settled release") {
  Situation s;
  CHECK(s.says("Deployed") == "True InstallSuccessful: Hello.");
  CHECK(s.says("Ready") == "True Ready: all children are ready");
  for (std::string_view absent :
       {"Reconciling", "Stalled", "ReleaseFailed", "Irreconcilable", "FieldsHeld", "RolledBack"}) {
    INFO(absent);
    CHECK(s.says(absent) == "absent");
  }
  s.state.progress.take_over(2);
  CHECK(s.says("Deployed") == "True UpgradeSuccessful: Hello.");
  CHECK(s.build().find("revision")->as_int() == 2);
  CHECK(s.build().string_at({"inputs"}) == "key");
}

TEST_CASE("Children decide whether a settled release is ready") {
  Situation s;
  using health::ReadyState;
  SECTION("one that starts") {
    s.input.children = {{child("a"), ReadyState::kReady, ""},
                        {child("b"), ReadyState::kProgressing, "rolling out"}};
    CHECK(s.says("Ready") == "False Progressing: Deployment.apps shop/b: rolling out");
    CHECK(s.says("Reconciling") == "True Progressing: see the condition Ready");
  }
  SECTION("one that failed comes first") {
    s.input.children = {{child("a"), ReadyState::kProgressing, "rolling out"},
                        {child("b"), ReadyState::kFailed, "crash"},
                        {child("c"), ReadyState::kFailed, ""}};
    CHECK(s.says("Ready") ==
          "False ChildFailed: Deployment.apps shop/b: crash; Deployment.apps shop/c");
    CHECK(s.says("Reconciling") == "absent");
  }
  SECTION("one on its way out") {
    s.input.children = {{child("a"), ReadyState::kTerminating, "being deleted"}};
    CHECK(s.says("Ready") == "False Progressing: Deployment.apps shop/a: being deleted");
  }
  SECTION("ten are named, the others counted") {
    for (int i = 0; i < 13; ++i) {
      s.input.children.push_back({child(std::to_string(i)), ReadyState::kProgressing, ""});
    }
    CHECK_THAT(s.says("Ready"), Catch::Matchers::EndsWith("Deployment.apps shop/9; and 3 more"));
  }
  SECTION("and each is listed with its state") {
    s.state.inventory[child("a")].desired = "d";
    s.state.inventory[child("b")];
    s.input.children = {{child("a"), ReadyState::kFailed, "x"}};
    const Value resources = *s.build().find("resources");
    REQUIRE(resources.as_list().items.size() == 2);
    CHECK(resources.as_list().items[0].string_at({"state"}) == "Failed");
    CHECK(resources.as_list().items[0].string_at({"desired"}) == "d");
    CHECK(resources.as_list().items[1].find("state") == nullptr);
  }
}

TEST_CASE("An error is reported by helm-operator's conditions, and by those of kstatus") {
  Situation s;
  SECTION("in the first render") {
    s.state = CrState();
    s.failed(Phase::kRender, Activity::kStalled);
    CHECK(s.says("ReleaseFailed") == "True InstallError: it broke");
    CHECK(s.says("Irreconcilable") == "absent");
    CHECK(s.says("Stalled") == "True ReconcileError: see the condition ReleaseFailed");
    CHECK(s.says("Deployed") == "absent");
  }
  SECTION("in a later render") {
    s.failed(Phase::kRender, Activity::kStalled);
    CHECK(s.says("Irreconcilable") == "True ReconcileError: it broke");
    CHECK(s.says("ReleaseFailed") == "absent");
    CHECK(s.says("Deployed") == "True InstallSuccessful: Hello.");
    CHECK(s.says("Ready") == "False ReconcileError: it broke");
  }
  SECTION("in an install") {
    s.state = CrState();
    s.failed(Phase::kInstall, Activity::kRetrying);
    CHECK(s.says("ReleaseFailed") == "True InstallError: it broke");
    CHECK(s.says("Reconciling") == "True ProgressingWithRetry: see the condition ReleaseFailed");
    CHECK(s.says("Stalled") == "absent");
  }
  SECTION("in an upgrade") {
    s.failed(Phase::kUpgrade, Activity::kStalled);
    CHECK(s.says("ReleaseFailed") == "True UpgradeError: it broke");
    CHECK(s.says("Reconciling") == "absent");
  }
  SECTION("in a repair") {
    s.failed(Phase::kRepair, Activity::kStalled);
    CHECK(s.says("Irreconcilable") == "True ReconcileError: it broke");
    CHECK(s.says("ReleaseFailed") == "absent");
    CHECK(s.says("Deployed") == "True InstallSuccessful: Hello.");
    CHECK(s.says("Ready") == "False ReconcileError: it broke");
  }
  SECTION("in an uninstall") {
    s.failed(Phase::kUninstall, Activity::kRetrying);
    CHECK(s.says("ReleaseFailed") == "True UninstallError: it broke");
  }
  SECTION("with its place") {
    s.input.failure =
        Failure{Phase::kRender, Error(ErrorCode::kTemplate, "bad").at({"t.yaml", 3, 4}), "key"};
    s.input.activity = Activity::kStalled;
    CHECK(s.says("Irreconcilable") == "True ReconcileError: t.yaml:3:4: bad");
  }
}

TEST_CASE("Only one condition has the whole text of an error") {
  Situation s;
  const Error error = Error(ErrorCode::kTemplate, "bad").with_help("line 2\nline 3");
  s.input.activity = Activity::kStalled;
  SECTION("that of helm-operator") {
    s.input.failure = Failure{Phase::kUpgrade, error, "key"};
    CHECK(s.says("ReleaseFailed") == "True UpgradeError: bad\nline 2\nline 3");
    CHECK(s.says("Ready") == "False UpgradeError: bad");
    CHECK(s.says("Stalled") == "True UpgradeError: see the condition ReleaseFailed");
  }
  SECTION("or Ready, where it has none") {
    s.input.failure = Failure{Phase::kExternal, error, "key"};
    CHECK(s.says("ReleaseFailed") == "absent");
    CHECK(s.says("Ready") == "False ExternalError: bad\nline 2\nline 3");
    CHECK(s.says("Stalled") == "True ExternalError: see the condition Ready");
  }
}

TEST_CASE("A chart that cannot be rendered leaves Ready to the children of the same spec") {
  Situation s;
  s.failed(Phase::kRender, Activity::kStalled);
  s.input.leaves_revision = true;
  s.input.generation = 3;
  s.state.deployed_generation = 3;
  SECTION("which are ready") {
    CHECK(s.says("Ready") ==
          "True Stalled: all children are ready; see the condition Irreconcilable");
  }
  SECTION("which are not") {
    s.input.children = {{child("a"), health::ReadyState::kFailed, "crash"}};
    CHECK(s.says("Ready") == "False ChildFailed: Deployment.apps shop/a: crash");
  }
  SECTION("but not of another spec") {
    s.state.deployed_generation = 2;
    CHECK(s.says("Ready") == "False ReconcileError: it broke");
  }
  SECTION("nor if it is not known which spec they carry out") {
    s.state.deployed_generation = 0;
    CHECK(s.says("Ready") == "False ReconcileError: it broke");
  }
  SECTION("nor if they cannot be judged") {
    s.input.leaves_revision = false;
    CHECK(s.says("Ready") == "False ReconcileError: it broke");
  }
  CHECK(s.says("Irreconcilable") == "True ReconcileError: it broke");
  CHECK(s.says("Stalled") == "True ReconcileError: see the condition Irreconcilable");
}

TEST_CASE("Deployed observes the generation that the revision in force carries out") {
  Situation s;
  s.input.generation = 3;
  const auto generation = [&s] {
    const Value deployed = s.condition("Deployed");
    const Value* observed = deployed.find("observedGeneration");
    return observed == nullptr ? -1 : observed->as_int();
  };
  const auto read_back = [&s] {
    return state_from_status(Value::dict({{"status", s.build()}})).deployed_generation;
  };
  s.state.deployed_generation = 2;
  CHECK(generation() == 2);
  CHECK(read_back() == 2);
  s.state.deployed_generation = 0;
  CHECK(generation() == -1);
  CHECK(read_back() == 0);
}

TEST_CASE("Fields that rules hold back are reported") {
  Situation s;
  s.state.inventory[child("a")].held = "spec.x stays 2, 1 asked";
  s.state.inventory[child("b")];
  s.state.inventory[child("c")].held = "spec.y stays 4, 3 asked";
  CHECK(s.says("FieldsHeld") ==
        "True ShrinkRefused: Deployment.apps shop/a: spec.x stays 2, 1 asked; Deployment.apps "
        "shop/c: spec.y stays 4, 3 asked");
  CHECK(s.says("FieldsFrozen") == "absent");
  s.state.inventory[child("b")].frozen = "spec.x, spec.y";
  CHECK(s.says("FieldsFrozen") == "True LiveValueKept: Deployment.apps shop/b: spec.x, spec.y");
}

TEST_CASE("Rollbacks in force, refused, and both") {
  Situation s;
  Progress::Stored stored{.revision = 3, .handled_rollback = "1"};
  SECTION("in force") {
    stored.pin = RolledBack{"rejected"};
    s.state.progress = Progress(stored);
    CHECK(s.says("RolledBack") ==
          "True RollbackRequested: revision 3 stays in force until the spec or the chart changes, "
          "or the annotation chartwright.io/rollback-to is removed");
    CHECK(s.build().find_path({"pin", "revision"})->as_int() == 3);
    CHECK(s.build().string_at({"pin", "rejectedInputs"}) == "rejected");
    CHECK(s.build().string_at({"lastHandledRollback"}) == "1");
  }
  SECTION("refused") {
    stored.rollback_refusal = "no such revision";
    s.state.progress = Progress(stored);
    CHECK(s.says("RolledBack") == "False RollbackRefused: no such revision");
    CHECK(s.build().find("pin") == nullptr);
  }
  SECTION("both") {
    stored.pin = RolledBack{"rejected"};
    stored.rollback_refusal = "no such revision";
    s.state.progress = Progress(stored);
    CHECK_THAT(s.says("RolledBack"),
               Catch::Matchers::StartsWith("True RollbackRequested: revision 3 ") &&
                   Catch::Matchers::EndsWith("; refused: no such revision"));
  }
}

TEST_CASE("The time of a transition stays until the status of the condition changes") {
  Situation s;
  s.input.previous = s.build();
  s.input.now = kLater;
  CHECK(s.condition("Ready").string_at({"lastTransitionTime"}) == "2026-01-02T03:04:05Z");
  // Another reason or message is not a transition.
  s.state.notes = "Bye.";
  CHECK(s.condition("Deployed").string_at({"lastTransitionTime"}) == "2026-01-02T03:04:05Z");
  s.failed(Phase::kUpgrade, Activity::kStalled);
  CHECK(s.condition("Ready").string_at({"lastTransitionTime"}) == "2026-01-02T04:00:00Z");
  CHECK(s.condition("Stalled").string_at({"lastTransitionTime"}) == "2026-01-02T04:00:00Z");
}

TEST_CASE("A damaged status gives no odd times") {
  Situation s;
  s.input.previous = json(R"({"conditions":[null, 5, {"type":"Ready","status":"True"},
                                          {"type":"Deployed","status":"True",
                                           "lastTransitionTime":7}]})");
  CHECK(s.condition("Ready").string_at({"lastTransitionTime"}) == "2026-01-02T03:04:05Z");
  CHECK(s.condition("Deployed").string_at({"lastTransitionTime"}) == "2026-01-02T03:04:05Z");
  s.input.previous = json(R"({"conditions":{"Ready":true}})");
  CHECK(s.condition("Ready").string_at({"lastTransitionTime"}) == "2026-01-02T03:04:05Z");
}

TEST_CASE("Messages keep to metav1's limit, at a character's boundary") {
  Situation s;
  std::string longest;
  while (longest.size() < 40'000) {
    longest += "äö€";
  }
  s.state.notes = longest;
  const std::string message(s.condition("Deployed").string_at({"message"}));
  CHECK(message.size() <= 32'768);
  CHECK(message.size() > 32'768 - 8);
  CHECK(message.ends_with("..."));
  const std::string body = message.substr(0, message.size() - 3);
  CHECK(longest.starts_with(body));
  CHECK((static_cast<unsigned char>(longest[body.size()]) & 0xC0U) != 0x80U);
  s.state.notes = std::string(32'768, 'x');
  CHECK(s.condition("Deployed").string_at({"message"}) == s.state.notes);
}

TEST_CASE("The author's fields join, and never overwrite the engine's") {
  Situation s;
  s.input.author = json(R"({
    "phase": "Bound", "revision": 99, "history": [], "resources": [], "inputs": "x", "pin": {},
    "lastHandledRollback": "x", "observedGeneration": 99,
    "conditions": [
      {"type": "Ready", "status": "False", "reason": "Lie", "message": ""},
      {"type": "RolledBack", "status": "True", "reason": "Lie", "message": ""},
      {"type": "Painted", "status": "True", "reason": "Dry", "message": "It is dry."},
      {"status": "True"}, null]})");
  const Value status = s.build();
  CHECK(status.string_at({"phase"}) == "Bound");
  CHECK(status.find("revision")->as_int() == 1);
  CHECK(status.find("history")->as_list().items.size() == 1);
  CHECK(status.string_at({"inputs"}) == "key");
  CHECK(status.find("pin") == nullptr);
  CHECK(status.find("lastHandledRollback") == nullptr);
  CHECK(status.find("observedGeneration")->as_int() == 7);
  CHECK(s.says("Ready") == "True Ready: all children are ready");
  CHECK(s.says("RolledBack") == "absent");
  CHECK(s.says("Painted") == "True Dry: It is dry.");
  CHECK(s.condition("Painted").string_at({"lastTransitionTime"}) == "2026-01-02T03:04:05Z");
  CHECK(s.condition("Painted").find("observedGeneration")->as_int() == 7);
}

TEST_CASE("An author's status of an odd shape adds nothing") {
  Situation plain;
  for (std::string_view odd :
       {"null", "[]", "5", R"({"conditions":{}})", R"({"conditions":[5]})"}) {
    INFO(odd);
    Situation s;
    s.input.author = json(odd);
    CHECK_FALSE(status_differs(plain.build(), s.build()));
  }
}

TEST_CASE("Conditions are ordered by type, so that equal situations give equal texts") {
  Situation s;
  s.input.author = json(R"({"conditions":[{"type":"Zed","status":"True"},
                                          {"type":"Abc","status":"True"}]})");
  const Value status = s.build();
  std::vector<std::string> types;
  for (const Value& c : status.find("conditions")->as_list().items) {
    types.emplace_back(c.string_at({"type"}));
  }
  CHECK(std::is_sorted(types.begin(), types.end()));
}

TEST_CASE("A status is written when it differs from the live one") {
  Situation s;
  const Value now = s.build();
  CHECK_FALSE(status_differs(now, now));
  CHECK(status_differs(Value(), now));
  CHECK(status_differs(json("{}"), now));

  const auto changed = [&now](const auto& change) {
    Value other = value::deep_copy(now);
    change(other.mutable_dict());
    return other;
  };
  SECTION("another value") {
    CHECK(
        status_differs(changed([](value::Dict& d) { d.set("inputs", Value::string("x")); }), now));
  }
  SECTION("a field that another client added") {
    CHECK(status_differs(changed([](value::Dict& d) { d.set("extra", Value::string("x")); }), now));
  }
  SECTION("a field that is missing") {
    CHECK(status_differs(changed([](value::Dict& d) { d.erase("inputs"); }), now));
  }
  SECTION("a condition's message") {
    Situation other;
    other.state.notes = "Bye.";
    CHECK(status_differs(other.build(), now));
  }
  SECTION("a condition of the engine's that no longer holds") {
    Situation failed;
    failed.failed(Phase::kUpgrade, Activity::kStalled);
    CHECK(status_differs(failed.build(), now));
  }
  SECTION("conditions of a wrong shape") {
    CHECK(status_differs(changed([](value::Dict& d) { d.set("conditions", Value::dict()); }), now));
    CHECK(status_differs(changed([](value::Dict& d) { d.erase("conditions"); }), now));
  }
  SECTION("but not for a stranger's condition, nor another order") {
    CHECK_FALSE(status_differs(changed([](value::Dict& d) {
                                 std::vector<Value> items = d.find("conditions")->as_list().items;
                                 std::reverse(items.begin(), items.end());
                                 items.push_back(json(R"({"type":"Theirs","status":"True"})"));
                                 d.set("conditions", Value::list(items));
                               }),
                               now));
  }
}

TEST_CASE("A failed attempt that is undone says so until it is over") {
  Situation s;
  FailedAttempt failed{2, "no"};
  s.state.progress = Progress({.revision = 1, .pin = Undoing{"rejected", failed}});
  CHECK(s.says("RolledBack") == "True UpgradeFailed: revision 2 failed, and is being rolled back");
  s.state.progress = Progress({.revision = 3, .pin = Undone{"rejected", failed}});
  CHECK(s.says("RolledBack") ==
        "True UpgradeFailed: revision 2 failed, and revision 3 stays in force until the spec, the "
        "chart or the annotation chartwright.io/reconcile-requested-at changes");
  failed.dry_run = DryRun::kRefused;
  s.state.progress = Progress({.pin = Undone{"rejected", failed}});
  CHECK(s.says("RolledBack") ==
        "True InstallFailed: revision 2 failed, and was deleted. Nothing is installed until the "
        "spec, the chart or the annotation chartwright.io/reconcile-requested-at changes, or a dry "
        "run succeeds");
}

TEST_CASE("A request by annotation is what Go takes for true") {
  const auto asks = [](std::string_view text) {
    return is_requested(json(R"({"metadata":{"annotations":{"chartwright.io/adopt":")" +
                             std::string(text) + R"("}}})"),
                        kAdopt);
  };
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    CHECK(asks(yes));
  }
  for (const std::string_view no : {"", "0", "f", "F", "false", "FALSE", "False", "yes", "tRUE"}) {
    CHECK_FALSE(asks(no));
  }
}

TEST_CASE("Annotations that have no effect are named") {
  const auto unused = [](std::string_view annotations) {
    return unused_annotations(
        json(R"({"metadata":{"annotations":{)" + std::string(annotations) + "}}}"));
  };
  const std::string prefix = R"("helm.sdk.operatorframework.io/)";
  CHECK(unused("").empty());
  CHECK(unused(prefix + R"(upgrade-force":"false")").empty());
  CHECK(unused(prefix + R"(uninstall-wait":"")").empty());
  CHECK(unused(prefix + R"(uninstall-wait":"T")").empty());
  CHECK(unused(prefix + R"(uninstall-wait":"yes")") ==
        std::vector<std::string>{R"(helm.sdk.operatorframework.io/uninstall-wait: "yes" is not a )"
                                 R"(boolean, such as "true" or "false", and has no effect)"});
  CHECK(unused(prefix + R"(upgrade-force":"yes")").size() == 1);
  CHECK(unused(prefix + R"(rollback-force":"1")").empty());
  REQUIRE(unused(prefix + R"(upgrade-force":"T")").size() == 1);
  CHECK_THAT(
      unused(prefix + R"(upgrade-force":"T")").front(),
      Catch::Matchers::StartsWith("helm.sdk.operatorframework.io/upgrade-force: T has no effect"));
  CHECK(
      unused(prefix + R"(upgrade-force":"true",)" + prefix + R"(rollback-force":"false")").size() ==
      2);

  Situation s;
  CHECK(s.says("UnusedAnnotations") == "absent");
  s.input.unused_annotations = {"a: b"};
  CHECK(s.says("UnusedAnnotations") == "True NoEffect: a: b");
}

}  // namespace
}  // namespace chartwright::op
