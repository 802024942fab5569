// SPDX-License-Identifier: Apache-2.0
#include "operator/remedy.h"

#include <functional>

#include "test/operator/hooked.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using testing::Calls;
using testing::has;
using testing::Hooked;
using testing::World;

const std::string kNew = "apply ConfigMap shop/new";
const std::string kGreen = R"({"color":"green","extra":"new"})";

/// A release whose upgrade to kGreen, and whose install of it, the API server refuses in part.
struct Refused : World {
  Refused() {
    watch.on_install_failure = bundle::InstallFailure::kUninstall;
    watch.on_upgrade_failure = bundle::UpgradeFailure::kRollback;
    const Error denied = Error(ErrorCode::kInvalid, "not today").with_http(422, "Invalid");
    api.fail_always(kNew, denied);
    api.fail_always("dry-" + kNew, denied);
  }
  void accept() {
    api.fail_always(kNew, std::nullopt);
    accept_dry_runs();
  }
  void accept_dry_runs() { api.fail_always("dry-" + kNew, std::nullopt); }
  /// Reconciles while it asks to come back at once, or an event would.
  runtime::Outcome settle() {
    for (int i = 0; i < 20; ++i) {
      runtime::Outcome outcome = reconcile();
      const auto* later = std::get_if<runtime::RequeueAfter>(&outcome);
      const bool at_rest = later == nullptr || later->delay > std::chrono::minutes(1);
      if (at_rest && triggered().empty()) {
        return outcome;
      }
      if (later != nullptr) {
        clock.advance(later->delay);
      }
    }
    FAIL("it does not come to rest: " << condition("Ready"));
    return runtime::Done{};
  }
  void upgrade() {
    spec("{}");
    settle();
    spec(kGreen);
    settle();
  }
};

TEST_CASE("A refused upgrade is rolled back, as a new revision") {
  Refused world;
  world.upgrade();
  CHECK(world.color() == "red");
  CHECK_FALSE(world.exists("new"));
  CHECK(world.history() ==
        Calls{"3 deployed Rollback to 1", "2 failed not today", "1 superseded Install complete"});
  CHECK_THAT(world.condition("ReleaseFailed"), StartsWith("True UpgradeError: not today"));
  CHECK_THAT(world.condition("Ready"), StartsWith("False UpgradeError: not today"));
  CHECK_THAT(world.condition("Stalled"), StartsWith("True "));
  CHECK(world.condition("RolledBack") ==
        "True UpgradeFailed: revision 2 failed, and revision 3 stays in force until the spec, the "
        "chart or the annotation chartwright.io/reconcile-requested-at changes, or a dry run "
        "succeeds");
}

TEST_CASE("A rollback after a failure outlives a restart without a write") {
  Refused world;
  world.upgrade();
  const std::string before = value::to_json(world.status()).value_or("");
  world.restart();
  world.settle();
  CHECK(value::to_json(world.status()).value_or("") == before);
  for (const std::string& call : world.calls()) {
    CHECK((call.starts_with("dry-") || call.starts_with("get ")));
  }
}

TEST_CASE("A rolled back child is repaired to the revision in force") {
  Refused world;
  world.upgrade();
  value::Value object = *world.api.find(world.config_map("w"));
  object.find("data")->mutable_dict().set("color", value::Value::string("mauve"));
  world.api.put(object);
  world.settle();
  CHECK(world.color() == "red");
}

TEST_CASE("Rejected inputs are tried again once a dry run succeeds") {
  Refused world;
  world.upgrade();
  world.clock.advance(std::chrono::minutes(5));
  world.settle();
  CHECK(has(world.calls(), "dry-" + kNew));
  CHECK_FALSE(has(world.calls(), "apply ConfigMap shop/w"));
  CHECK(world.revision() == 3);

  world.accept();
  world.clock.advance(std::chrono::minutes(5));
  world.settle();
  CHECK(world.color() == "green");
  CHECK(world.exists("new"));
  CHECK(world.revision() == 4);
  CHECK(world.condition("RolledBack") == "absent");
  CHECK(world.condition("ReleaseFailed") == "absent");
}

TEST_CASE("A failure that no dry run foresees is not tried again by itself") {
  Refused world;
  world.accept_dry_runs();
  world.upgrade();
  REQUIRE(world.revision() == 3);
  world.accept();
  for (int i = 0; i < 3; ++i) {
    world.clock.advance(std::chrono::hours(1));
    world.settle();
  }
  CHECK(world.revision() == 3);
  CHECK(world.color() == "red");

  SECTION("but when somebody asks") {
    world.annotate(kReconcileRequestedAt, "now");
    world.settle();
    CHECK(world.color() == "green");
  }
  SECTION("but with another spec") {
    world.spec(R"({"color":"blue"})");
    world.settle();
    CHECK(world.color() == "blue");
  }
  SECTION("the earlier spec is the revision in force") {
    world.spec("{}");
    world.settle();
    CHECK(world.condition("RolledBack") == "absent");
    CHECK(world.condition("Stalled") == "absent");
  }
  CHECK(world.condition("ReleaseFailed") == "absent");
}

TEST_CASE("The objects that a refused install has created are deleted") {
  Refused world;
  world.spec(kGreen);
  world.settle();
  CHECK_FALSE(world.exists("w"));
  CHECK_FALSE(world.exists("new"));
  CHECK(world.history() == Calls{"1 failed not today"});
  CHECK_THAT(world.condition("ReleaseFailed"), StartsWith("True InstallError: not today"));
  CHECK(world.condition("Deployed") == "absent");
  CHECK(world.condition("RolledBack") ==
        "True InstallFailed: revision 1 failed, and was deleted. Nothing is installed until the "
        "spec, the chart or the annotation chartwright.io/reconcile-requested-at changes, or a dry "
        "run succeeds");
  CHECK(world.status().find("resources")->as_list().items.empty());

  SECTION("and created again once a dry run succeeds") {
    world.accept();
    world.clock.advance(std::chrono::minutes(5));
    world.settle();
    CHECK(world.color() == "green");
    CHECK(world.revision() == 2);
    CHECK(world.condition("RolledBack") == "absent");
  }
  SECTION("and nothing comes back at a restart") {
    const std::string before = value::to_json(world.status()).value_or("");
    world.restart();
    world.settle();
    CHECK_FALSE(world.exists("w"));
    CHECK(value::to_json(world.status()).value_or("") == before);
  }
  SECTION("another spec is installed") {
    world.spec("{}");
    world.settle();
    CHECK(world.color() == "red");
    CHECK(world.revision() == 2);
  }
}

TEST_CASE("Without a policy what was applied stays, and the condition says so") {
  Refused world;
  world.watch.on_install_failure = bundle::InstallFailure::kHold;
  world.watch.on_upgrade_failure = bundle::UpgradeFailure::kHold;
  world.upgrade();
  CHECK(world.color() == "green");
  CHECK(world.revision() == 1);
  CHECK_THAT(world.condition("ReleaseFailed"), Contains("stay, and nothing was pruned"));

  SECTION("An annotation asks for one") {
    world.annotate(kOnUpgradeFailure, "rollback");
    world.settle();
    CHECK(world.color() == "red");
    CHECK(world.history().front() == "3 deployed Rollback to 1");
  }
  SECTION("An annotation that names none is refused") {
    world.annotate(kOnUpgradeFailure, "rolback");
    world.settle();
    CHECK_THAT(world.condition("Irreconcilable"),
               Contains("chartwright.io/on-upgrade-failure: \"rolback\" is not one of \"hold\", "
                        "\"rollback\""));
  }
}

TEST_CASE("A failure is held while objects may be taken over, and the condition says so") {
  Refused world;
  const bool upgrades = GENERATE(false, true);
  if (upgrades) {
    world.spec("{}");
    world.settle();
  }
  world.annotate(kAdopt, "true");
  world.spec(kGreen);
  world.settle();
  CHECK(world.color() == "green");
  CHECK(world.condition("RolledBack") == "absent");
  CHECK_THAT(world.error(),
             Catch::Matchers::Contains("It is not undone while chartwright.io/adopt is set"));
}

TEST_CASE("An error that may pass by itself is not undone") {
  Refused world;
  world.spec("{}");
  world.settle();
  world.api.fail_always(kNew, Error(ErrorCode::kUnavailable, "a moment"));
  world.spec(kGreen);
  CHECK(world.fail().error.code() == ErrorCode::kUnavailable);
  CHECK(world.color() == "green");
  CHECK(world.condition("RolledBack") == "absent");
}

TEST_CASE("A rollback that cannot be made says why, and is tried again") {
  Refused world;
  world.spec("{}");
  world.settle();
  const std::string back = "apply ConfigMap shop/w";
  world.spec(kGreen);
  world.reconcile();  // Refused.
  world.api.fail_always(back, Error(ErrorCode::kInvalid, "no way back").with_http(422, "Invalid"));
  world.settle();
  CHECK_THAT(world.condition("ReleaseFailed"), Contains("no way back"));
  CHECK(world.condition("RolledBack") ==
        "True UpgradeFailed: revision 2 failed, and is being rolled back");
  world.api.fail_always(back, std::nullopt);
  world.clock.advance(std::chrono::minutes(5));
  world.settle();
  CHECK(world.color() == "red");
  CHECK(world.revision() == 3);
}

TEST_CASE("A history that names no deployed revision never leads to a deletion") {
  Refused world;
  world.spec("{}");
  world.settle();
  world.spec(kGreen);
  world.reconcile();  // Refused, and about to be undone.
  value::Value object = world.cr();
  REQUIRE(object.find_path({"status", "pin", "failed"}) != nullptr);
  object.find("status")->mutable_dict().erase("history");
  world.api.put(object);
  world.restart();
  world.settle();
  CHECK(world.exists("w"));
  CHECK(world.revision() == 1);
  CHECK_THAT(world.condition("ReleaseFailed"), StartsWith("True UpgradeError"));
}

/// Upgrades and installs whose last hook fails.
struct HookedPolicy : Hooked {
  explicit HookedPolicy(const testing::Files& files = testing::hooked_chart()) : Hooked(files) {
    watch.on_install_failure = bundle::InstallFailure::kUninstall;
    watch.on_upgrade_failure = bundle::UpgradeFailure::kRollback;
  }
};

TEST_CASE("An upgrade whose last hook fails is rolled back, with the hooks of a rollback") {
  HookedPolicy world;
  world.settle();
  const Calls records_before = world.records();
  const std::string password = world.color("password");
  world.take_created();
  world.spec(R"({"color":"green"})");
  world.await_job("first", "Complete");
  world.await_job("before", "Complete");
  world.await_job("after", "Failed");
  world.take_created();
  world.settle();
  CHECK(world.take_created() == Calls{"before", "after"});
  CHECK(world.color() == "red");
  CHECK(world.color("password") == password);
  CHECK(world.records() == Calls{"superseded", "failed", "deployed"});
  CHECK_THAT(world.condition("RolledBack"), StartsWith("True UpgradeFailed: revision 2 failed"));

  SECTION("No hook runs again at a restart") {
    world.restart();
    world.settle();
    CHECK(world.take_created().empty());
    CHECK(world.records() == Calls{"superseded", "failed", "deployed"});
  }
}

TEST_CASE("Drift beside a rollback that is refused is no other attempt at what had failed") {
  HookedPolicy world;
  world.settle();
  world.spec(R"({"color":"green"})");
  world.await_job("first", "Complete");
  world.await_job("before", "Complete");
  world.await_job("after", "Failed");
  const std::string apply = "apply ConfigMap shop/w";
  world.api.fail_always(apply, Error(ErrorCode::kInvalid, "not back").with_http(422, "Invalid"));
  for (int i = 0; i < 6; ++i) {
    world.step();
    world.complete_jobs();
  }
  REQUIRE_THAT(world.condition("ReleaseFailed"), Contains("not back"));
  REQUIRE(world.color() == "green");

  value::Value object = *world.api.find(world.config_map("w"));
  object.find("data")->mutable_dict().set("color", value::Value::string("mauve"));
  world.api.put(object);
  world.step();
  CHECK_THAT(world.condition("ReleaseFailed"), Contains("not back"));
  world.api.fail_always(apply, std::nullopt);
  world.clock.advance(std::chrono::minutes(5));
  world.settle();
  CHECK(world.color() == "red");
  CHECK(world.records() == Calls{"superseded", "failed", "deployed"});
  CHECK_THAT(world.condition("RolledBack"), StartsWith("True UpgradeFailed: revision 2 failed"));
}

TEST_CASE("The revision to return to outlives any limit of the history") {
  HookedPolicy world;
  world.history_max = 1;
  world.settle();
  world.spec(R"({"color":"green"})");
  world.await_job("first", "Complete");
  world.await_job("before", "Complete");
  world.await_job("after", "Failed");
  world.settle();
  CHECK(world.color() == "red");
  CHECK_THAT(world.condition("RolledBack"), StartsWith("True UpgradeFailed"));
}

TEST_CASE("An install whose last hook fails is deleted, with the hooks of a deletion") {
  HookedPolicy world;
  world.await_job("before", "Complete");
  world.await_job("after", "Failed");
  world.take_created();
  world.settle();
  CHECK(world.take_created() == Calls{"farewell", "last"});
  CHECK_FALSE(world.exists("w"));
  CHECK_FALSE(world.exists("password"));
  CHECK(world.records() == Calls{"failed"});
  CHECK(world.revision() == 0);

  SECTION("which a deletion does not run again") {
    world.api.begin_deletion(world.ref());
    world.settle();
    CHECK(world.take_created().empty());
    CHECK_FALSE(world.api.find(world.ref()));
  }
  SECTION("which a deletion runs again after another attempt") {
    world.spec(R"({"color":"green"})");
    for (int i = 0; i < 5 && world.created.empty(); ++i) {
      world.step();  // That of the first attempt goes first.
    }
    REQUIRE(world.take_created() == Calls{"before"});
    world.api.begin_deletion(world.ref());
    world.settle();
    CHECK(world.take_created() == Calls{"farewell", "last"});
    CHECK_FALSE(world.api.find(world.ref()));
  }
}

TEST_CASE("An upgrade whose first hook fails had no effect, and is not rolled back") {
  HookedPolicy world;
  world.settle();
  world.spec(R"({"color":"green"})");
  world.await_job("first", "Failed");
  world.settle();
  CHECK(world.color() == "red");
  CHECK(world.records() == Calls{"deployed", "failed"});
  CHECK(world.condition("RolledBack") == "absent");
}

// The first `calls` requests are answered, then the process ends, and another one goes on.
bool cut_off(Refused& world, size_t calls) {
  static_cast<void>(world.cached());
  world.api.allow_calls(calls);
  for (int i = 0; i < 20 && !world.api.refused_calls(); ++i) {
    const runtime::Outcome outcome = world.reconcile();
    const auto* later = std::get_if<runtime::RequeueAfter>(&outcome);
    if (later != nullptr && later->delay > std::chrono::minutes(1)) {
      break;
    }
  }
  const bool was_cut_off = world.api.refused_calls();
  world.api.allow_calls(std::nullopt);
  world.restart();
  world.settle();
  return was_cut_off;
}

TEST_CASE("A crash after any request of a failed upgrade ends in the same rollback") {
  size_t calls = 0;
  for (bool was_cut_off = true; was_cut_off; ++calls) {
    CAPTURE(calls);
    Refused world;
    world.spec("{}");
    world.settle();
    world.spec(kGreen);
    was_cut_off = cut_off(world, calls);
    CHECK(world.color() == "red");
    CHECK_FALSE(world.exists("new"));
    const Calls history = world.history();
    CHECK_THAT(history.front(), Contains("deployed Rollback to 1"));
    CHECK(history.size() == 3);
    CHECK(world.status().find("attempt") == nullptr);
  }
  CHECK(calls > 8);
}

TEST_CASE("A crash after any request of a failed install leaves nothing") {
  size_t calls = 0;
  for (bool was_cut_off = true; was_cut_off; ++calls) {
    CAPTURE(calls);
    Refused world;
    world.spec(kGreen);
    was_cut_off = cut_off(world, calls);
    CHECK_FALSE(world.exists("w"));
    CHECK(world.history() == Calls{"1 failed not today"});
    CHECK(world.revision() == 0);
  }
  CHECK(calls > 6);
}

/// Releases whose hook `after` fails at the end of an attempt, and is deleted then.
struct FailingHook : HookedPolicy {
  FailingHook()
      : HookedPolicy(testing::with(
            testing::widget_chart(),
            {{"templates/hooks.yaml",
              testing::hook_job("before", "\"post-install,post-upgrade\"",
                                testing::kSucceeded + "    helm.sh/hook-weight: \"-1\"\n") +
                  "{{ if eq .Values.color \"green\" }}" +
                  testing::hook_job("after", "\"post-install,post-upgrade\"",
                                    "    helm.sh/hook-delete-policy: hook-failed\n") +
                  "{{ end }}"}})) {}
  /// Reconciles until there is nothing left to do, or the process has ended.
  void go_on() {
    for (int i = 0; i < 40 && !api.refused_calls(); ++i) {
      if (std::holds_alternative<runtime::Done>(step())) {
        return;
      }
      for (const std::string& name : jobs()) {
        end_job(name, name == "after" ? "Failed" : "Complete");
      }
    }
  }
};

TEST_CASE("A crash after any request of an attempt whose last hook fails undoes it just the same") {
  const bool upgrades = GENERATE(true, false);
  size_t calls = 0;
  for (bool was_cut_off = true; was_cut_off; ++calls) {
    CAPTURE(upgrades, calls);
    FailingHook world;
    if (upgrades) {
      world.settle();
      world.take_created();
    }
    world.spec(R"({"color":"green"})");
    static_cast<void>(world.cached());
    world.api.allow_calls(calls);
    world.go_on();
    was_cut_off = world.api.refused_calls();
    world.api.allow_calls(std::nullopt);
    world.restart();
    world.go_on();
    CHECK(world.take_created() == Calls{"before", "after"});
    CHECK(world.jobs().empty());
    CHECK(world.records() ==
          (upgrades ? Calls{"superseded", "failed", "deployed"} : Calls{"failed"}));
    CHECK(world.exists("w") == upgrades);
    CHECK_THAT(world.condition("RolledBack"), StartsWith("True "));
  }
  CHECK(calls > 8);
}

}  // namespace
}  // namespace chartwright::op
