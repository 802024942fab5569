// SPDX-License-Identifier: Apache-2.0
#include "operator/hooks.h"

#include <chrono>

#include "test/operator/hooked.h"

namespace chartwright::op {
namespace {

using testing::Calls;
using testing::Hooked;
using testing::job;
using value::testing::json;

TEST_CASE("Hooks run at each event of a release, and once") {
  Hooked world;
  world.settle();
  CHECK(world.take_created() == Calls{"before", "after"});
  CHECK(world.records() == Calls{"deployed"});
  CHECK(world.history() == Calls{"1 deployed Install complete"});
  CHECK(world.api.find(job("before")));
  CHECK_FALSE(world.api.find(job("after")));  // Its policy is hook-succeeded.
  CHECK(world.status().find("attempt") == nullptr);

  world.spec(R"({"color":"green"})");
  world.settle();
  CHECK(world.take_created() == Calls{"first", "before", "after"});
  CHECK(world.records() == Calls{"superseded", "deployed"});

  world.annotate(kRollbackTo, "1");
  world.settle();
  CHECK(world.take_created() == Calls{"before", "after"});
  CHECK(world.color() == "red");
  CHECK(world.history().front() == "3 deployed Rollback to 1");

  world.api.begin_deletion(world.ref());
  world.settle();
  CHECK(world.take_created() == Calls{"farewell", "last"});
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("New objects are applied between the hooks before and those after") {
  Hooked world;
  world.step();
  CHECK(world.api.find(job("before")));
  CHECK_FALSE(world.exists("w"));
  CHECK(world.records() == Calls{"pending-install"});
  CHECK(world.condition("Ready") == "Unknown Progressing: pre-install hook Job.batch shop/before");
  world.step();
  CHECK_FALSE(world.exists("w"));
  CHECK(world.condition("Ready") ==
        "Unknown Progressing: pre-install hook Job.batch shop/before: 0 pods active, 0 failed");
  CHECK(world.status().string_at({"attempt", "phase"}) == "pre-install");
  world.end_job("before", "Complete");
  world.step();
  CHECK(world.exists("w"));
  CHECK(world.records() == Calls{"pending-install"});
  world.end_job("after", "Complete");
  world.step();
  CHECK(world.records() == Calls{"deployed"});
}

TEST_CASE("The revision in force is repaired while a hook runs") {
  Hooked world;
  world.settle();
  world.spec(R"({"color":"green"})");
  world.step();
  world.api.erase(world.config_map("w"));
  world.step();
  CHECK(world.color() == "red");
}

TEST_CASE("A hook that fails ends the attempt, also after a restart") {
  Hooked world;
  world.settle();
  world.take_created();
  world.spec(R"({"color":"green"})");
  world.await_job("first", "Failed");
  world.step();
  const std::string said = "pre-upgrade hook Job.batch shop/first failed: Tested: as planned";
  CHECK_THAT(world.condition("ReleaseFailed"), Catch::Matchers::Contains(said));
  CHECK_THAT(world.error(), Catch::Matchers::Contains(said));
  CHECK(world.history() == Calls{"2 failed " + said, "1 deployed Install complete"});
  CHECK(world.records() == Calls{"deployed", "failed"});
  CHECK(world.revision() == 1);

  world.restart();
  world.api.erase(world.config_map("w"));
  world.step();
  CHECK(world.color() == "red");
  CHECK_THAT(world.error(), Catch::Matchers::Contains(said));
  world.step();
  CHECK(world.take_created() == Calls{"first"});

  SECTION("Another spec is another attempt") {
    world.spec(R"({"color":"blue"})");
    world.settle();
    CHECK(world.take_created() == Calls{"first", "before", "after"});
    CHECK(world.color() == "blue");
    CHECK(world.records() == Calls{"superseded", "failed", "deployed"});
    CHECK(world.condition("ReleaseFailed") == "absent");
  }
  SECTION("So is a request") {
    world.annotate(kReconcileRequestedAt, "now");
    world.settle();
    CHECK(world.color() == "green");
  }
  SECTION("Without hooks it goes on") {
    world.annotate(kDisableHooks, "true");
    world.settle();
    CHECK(world.take_created().empty());
    CHECK(world.color() == "green");
  }
  SECTION("The spec as it was needs no hook") {
    world.spec("{}");
    world.settle();
    CHECK(world.take_created().empty());
    CHECK(world.condition("ReleaseFailed") == "absent");
    CHECK(world.status().find("attempt") == nullptr);
  }
}

TEST_CASE("A hook that has failed does not run again because the key is another one") {
  Hooked world;
  world.settle();
  world.take_created();
  world.spec(R"({"color":"green"})");
  const bool is_first = GENERATE(true, false);
  if (is_first) {
    world.await_job("first", "Failed");
  } else {
    world.await_job("first", "Complete");
    world.await_job("before", "Complete");
    world.await_job("after", "Failed");
  }
  world.step();
  world.take_created();
  const auto history = world.history();
  const auto records = world.records();
  world.master_key = std::string(64, 'b');
  world.restart();
  world.step();
  world.step();
  CHECK(world.take_created().empty());
  CHECK(world.history() == history);
  CHECK(world.records() == records);
  CHECK_THAT(world.condition("Stalled"), Catch::Matchers::StartsWith("True"));
  world.api.erase(world.config_map("w"));
  world.step();
  CHECK(world.color() == (is_first ? "red" : "green"));
  world.restart();
  world.step();
  CHECK(world.take_created().empty());
  world.spec(R"({"color":"blue"})");
  world.settle();
  CHECK(world.color() == "blue");
}

TEST_CASE("After a failed hook of the end, the new children are kept in force") {
  Hooked world;
  world.settle();
  world.spec(R"({"color":"green"})");
  world.await_job("first", "Complete");
  world.await_job("before", "Complete");
  world.await_job("after", "Failed");
  CHECK(world.color() == "green");
  world.step();
  CHECK(world.records() == Calls{"deployed", "failed"});
  CHECK(world.revision() == 2);
  world.restart();
  world.api.erase(world.config_map("w"));
  world.step();
  CHECK(world.color() == "green");
  world.spec(R"({"color":"blue"})");
  world.settle();
  CHECK(world.records() == Calls{"superseded", "failed", "deployed"});
}

/// Installs and upgrades, and rolls back, in vain: the hook before the rollback fails.
void fail_rollback(Hooked& world) {
  world.settle();
  world.spec(R"({"color":"green"})");
  world.settle();
  world.annotate(kRollbackTo, "1");
  world.await_job("before", "Failed");
  world.step();
}

TEST_CASE("A rollback whose hook fails is answered, until the request is withdrawn") {
  Hooked world;
  fail_rollback(world);
  CHECK_THAT(world.condition("RolledBack"),
             Catch::Matchers::StartsWith("False RollbackRefused: pre-rollback hook Job.batch"));
  CHECK(world.condition("Stalled") != "absent");
  CHECK(world.color() == "green");
  const bool restarts = GENERATE(false, true);
  if (restarts) {
    world.restart();
  }
  world.take_created();
  world.step();
  CHECK(world.condition("Stalled") != "absent");
  world.annotate(kRollbackTo, std::nullopt);
  world.step();
  CHECK(world.condition("Stalled") == "absent");
  CHECK(world.condition("RolledBack") == "absent");
  CHECK(world.color() == "green");
  CHECK(world.take_created().empty());
}

TEST_CASE("After a rollback whose last hook fails, the withdrawal renders the spec again") {
  Hooked world;
  world.settle();
  world.spec(R"({"color":"green"})");
  world.settle();
  world.annotate(kRollbackTo, "1");
  world.await_job("before", "Complete");
  world.await_job("after", "Failed");
  world.step();
  CHECK(world.color() == "red");
  world.annotate(kRollbackTo, std::nullopt);
  world.settle();
  CHECK(world.color() == "green");
  CHECK(world.condition("ReleaseFailed") == "absent");
}

TEST_CASE("A hook that the API server refuses changes nothing else") {
  Hooked world;
  world.settle();
  world.spec(R"({"color":"green"})");
  const base::Error no = base::Error(base::ErrorCode::kInvalid, "no").with_http(422, "Invalid");
  world.api.fail_always("create Job.batch shop/first", no);
  const runtime::Failed failed = world.fail();
  world.api.erase(world.config_map("w"));
  world.step();
  CHECK(world.color() == "red");
  world.api.fail_always("create Job.batch shop/first", std::nullopt);
  world.clock.advance(failed.later);
  world.api.erase(world.config_map("w"));
  world.step();
  CHECK(world.color() == "red");  // The hook runs.
  world.settle();
  CHECK(world.color() == "green");
}

TEST_CASE("Hooks do not run again for a record that was lost") {
  Hooked world(
      bundle::testing::with(bundle::testing::widget_chart(),
                            {{"templates/hooks.yaml", testing::hook_job("first", "pre-upgrade")}}));
  world.settle();
  world.spec(R"({"color":"green"})");
  world.settle();
  CHECK(world.take_created() == Calls{"first"});
  world.api.erase(world.secret(2));
  world.api.erase(world.config_map("w"));
  world.settle();
  CHECK(world.color() == "green");
  CHECK(world.revision() == 3);
  CHECK(world.take_created().empty());
}

TEST_CASE("A failed hook that is deleted has left its result, and does not run again") {
  Hooked world(bundle::testing::with(
      bundle::testing::widget_chart(),
      {{"templates/hooks.yaml",
        testing::hook_job("first", "pre-upgrade",
                          "    helm.sh/hook-delete-policy: hook-failed\n")}}));
  world.history_max = GENERATE(1, 10);
  world.settle();
  world.spec(R"({"color":"green"})");
  world.await_job("first", "Failed");
  SECTION("the process ends before the deletion") {
    world.api.fail_once("delete Job.batch shop/first",
                        base::Error(base::ErrorCode::kUnavailable, "killed"));
    world.step();
    CHECK(world.api.find(job("first")));
  }
  SECTION("the process ends after it") {
    world.step();
    CHECK_FALSE(world.api.find(job("first")));
  }
  world.restart();
  world.step();
  CHECK_FALSE(world.api.find(job("first")));
  CHECK_THAT(world.error(),
             Catch::Matchers::Contains("Job.batch shop/first failed: Tested: as planned"));
  CHECK(world.take_created() == Calls{"first"});
}

TEST_CASE("A hook that fails is deleted at any event, if its policy says so") {
  const std::string event = GENERATE("pre-install", "post-install", "post-upgrade", "pre-delete");
  Hooked world(bundle::testing::with(
      bundle::testing::widget_chart(),
      {{"templates/hooks.yaml",
        testing::hook_job("first", event, "    helm.sh/hook-delete-policy: hook-failed\n")}}));
  if (!event.ends_with("-install")) {
    world.settle();
    world.spec(R"({"color":"green"})");
  }
  if (event == "pre-delete") {
    world.settle();
    world.api.begin_deletion(world.ref());
  }
  world.await_job("first", "Failed");
  const bool is_killed = GENERATE(false, true);
  if (is_killed) {
    world.api.fail_once("delete Job.batch shop/first",
                        base::Error(base::ErrorCode::kUnavailable, "killed"));
  }
  world.step();
  if (is_killed) {
    world.restart();
    world.step();
  }
  INFO(event << (is_killed ? ", killed" : ""));
  CHECK_THAT(world.condition("ReleaseFailed"),
             Catch::Matchers::Contains("Job.batch shop/first failed"));
  CHECK_FALSE(world.api.find(job("first")));
}

TEST_CASE("Hooks that were disabled at the install run at the deletion") {
  Hooked world(bundle::testing::with(
      bundle::testing::widget_chart(),
      {{"templates/hooks.yaml", testing::hook_job("farewell", "pre-delete")}}));
  world.annotate(kDisableHooks, "true");
  world.settle();
  world.annotate(kDisableHooks, std::nullopt);
  world.settle();
  world.api.begin_deletion(world.ref());
  world.settle();
  CHECK(world.take_created() == Calls{"farewell"});
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("The hooks of a deletion run after an install that did not succeed, too") {
  const bool is_killed = GENERATE(false, true);
  Hooked world(bundle::testing::with(
      bundle::testing::widget_chart(),
      {{"templates/hooks.yaml", testing::hook_job("before", "pre-install") +
                                    testing::hook_job("farewell", "pre-delete") +
                                    testing::hook_job("last", "post-delete")}}));
  const base::Error refusal(base::ErrorCode::kInvalid, "refused by a policy");
  SECTION("a hook goes on") { world.step(); }
  SECTION("a hook failed") {
    world.await_job("before", "Failed");
    world.step();
    REQUIRE(world.records() == Calls{"failed"});
  }
  SECTION("an object was refused") {
    world.api.fail_always("apply ConfigMap shop/w", refusal);
    world.await_job("before", "Complete");
    world.fail();
    REQUIRE(world.records() == Calls{"failed"});
  }
  SECTION("an object was refused, and hooks were disabled") {
    world.annotate(kDisableHooks, "true");
    world.api.fail_always("apply ConfigMap shop/w", refusal);
    world.fail();
    world.annotate(kDisableHooks, std::nullopt);
  }
  REQUIRE(world.revision() == 0);
  world.take_created();
  world.api.begin_deletion(world.ref());
  if (is_killed) {
    world.restart();
    world.step();
    world.restart();
  }
  world.settle();
  CHECK(world.take_created() == Calls{"farewell", "last"});
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A record that was changed leaves the hooks of a deletion to the chart") {
  Hooked world(bundle::testing::with(
      bundle::testing::widget_chart(),
      {{"templates/hooks.yaml", testing::hook_job("before", "pre-install") +
                                    testing::hook_job("farewell", "pre-delete")}}));
  world.step();
  release::Revision revision = testing::record(world, 1);
  revision.manifest += "# changed\n";
  for (release::Hook& hook : revision.hooks) {
    hook.name = "forged-" + hook.name;
  }
  testing::put_record(world, revision);
  world.take_created();
  world.api.begin_deletion(world.ref());
  world.settle();
  CHECK(world.take_created() == Calls{"farewell"});
  CHECK_FALSE(world.api.find(world.ref()));
}

TEST_CASE("A record that is lost is not made of an attempt that has failed") {
  Hooked world(bundle::testing::with(
      bundle::testing::widget_chart(),
      {{"templates/hooks.yaml", testing::hook_job("before", "pre-rollback")}}));
  fail_rollback(world);
  REQUIRE(world.records() == Calls{"superseded", "deployed", "failed"});
  world.api.erase(world.secret(2));
  world.api.erase(world.config_map("w"));
  world.step();
  CHECK(world.color() == "green");
  CHECK(world.records() == Calls{"superseded", "failed"});
}

TEST_CASE("A hook that never ends fails after its time") {
  Hooked world;
  world.step();
  world.clock.advance(world.watch.hook_timeout - std::chrono::seconds(1));
  world.step();
  CHECK(world.condition("Stalled") == "absent");
  world.clock.advance(std::chrono::seconds(1));
  world.step();
  CHECK_THAT(world.error(),
             Catch::Matchers::Contains("Job.batch shop/before has not finished within 5m0s: "
                                       "0 pods active, 0 failed"));
  CHECK(world.revision() == 0);
  CHECK(world.condition("Deployed") == "absent");
}

/// A release whose first hook has a pod, of which the kubelet reports.
struct WatchedHook : Hooked {
  WatchedHook() {
    searches_causes = true;
    step();
    value::Value live = *api.find(job("before"));
    live.find("spec")->mutable_dict().set("selector", json(R"({"matchLabels":{"job":"before"}})"));
    live.mutable_dict().set("status", json(R"({"active":1})"));
    api.put(live);
  }
  void report(const std::string& state) {
    api.put(json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop",
        "name":"before-x","labels":{"job":"before"}},"spec":{"containers":[{"name":"main",
        "image":"tool:1"}],"restartPolicy":"Never"},"status":)" +
                 state + "}"));
  }
};

TEST_CASE("A hook that waits says why its pod does not run") {
  WatchedHook world;
  world.report(R"({"phase":"Pending","containerStatuses":[{"name":"main","image":"tool:1",
      "state":{"waiting":{"reason":"ImagePullBackOff"}}}]})");
  world.step();
  CHECK(world.condition("Ready") ==
        "Unknown Progressing: pre-install hook Job.batch shop/before: 1 pods active, 0 failed");
  world.clock.advance(std::chrono::seconds(10));
  world.step();
  CHECK(world.condition("Ready") ==
        "Unknown ImagePull: pre-install hook Job.batch shop/before: ImagePullBackOff (image "
        "tool:1)");
}

TEST_CASE("A hook that fails says how its pod ended") {
  WatchedHook world;
  world.report(R"({"phase":"Failed","containerStatuses":[{"name":"main","image":"tool:1",
      "state":{"terminated":{"exitCode":3,"reason":"Error"}}}]})");
  value::Value live = *world.api.find(job("before"));
  live.mutable_dict().set("status", json(R"({"failed":1,"conditions":[{"type":"Failed",
      "status":"True","reason":"BackoffLimitExceeded","message":"too many"}]})"));
  world.api.put(live);
  world.step();
  CHECK_THAT(world.error(), Catch::Matchers::Contains("exit 3"));
}

TEST_CASE("A Job whose result nobody saw is not taken for done") {
  Hooked world;
  world.step();
  world.api.erase(job("before"));
  world.step();
  CHECK_THAT(world.error(), Catch::Matchers::Contains("was deleted before its result was seen"));
  CHECK(world.take_created() == Calls{"before"});
}

TEST_CASE("An object of somebody else is not a hook") {
  Hooked world;
  world.api.put(json(
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"before","namespace":"shop"}})"));
  world.fail();
  CHECK_THAT(world.error(),
             Catch::Matchers::Contains("hook Job.batch shop/before exists and is not of this"));
  CHECK_FALSE(world.exists("w"));
}

TEST_CASE("The last write of a deletion follows that about its last hook") {
  Hooked world(bundle::testing::with(
      bundle::testing::widget_chart(),
      {{"templates/hooks.yaml", testing::hook_job("last", "post-delete", testing::kSucceeded)}}));
  world.settle();
  world.api.begin_deletion(world.ref());
  for (int i = 0; i < 5 && world.api.find(world.ref()); ++i) {
    CHECK_FALSE(std::holds_alternative<runtime::Failed>(world.step()));
    world.complete_jobs();
  }
  CHECK_FALSE(world.api.find(world.ref()));
  CHECK(world.jobs().empty());
}

TEST_CASE("A failed hook holds up the deletion until a person decides") {
  Hooked world;
  world.settle();
  world.api.begin_deletion(world.ref());
  world.step();
  world.end_job("farewell", "Failed");
  world.step();
  CHECK_THAT(world.condition("ReleaseFailed"),
             Catch::Matchers::Contains("UninstallError: pre-delete hook Job.batch shop/farewell"));
  world.restart();
  world.take_created();
  world.step();
  CHECK(world.take_created().empty());
  CHECK(world.exists("w"));
  world.annotate(kDisableHooks, "true");
  world.settle();
  CHECK_FALSE(world.api.find(world.ref()));
  CHECK(world.take_created().empty());
}

}  // namespace
}  // namespace chartwright::op
