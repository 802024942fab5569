// SPDX-License-Identifier: Apache-2.0
#include "release/hook_runner.h"

#include <catch2/catch.hpp>

#include "model/memory_server.h"
#include "test/base/manual_clock.h"
#include "test/release/objects.h"
#include "test/value/json_text.h"

namespace chartwright::release {
namespace {

using value::Value;
using value::testing::json;

constexpr std::string_view kJob =
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"shop"}})";
constexpr std::string_view kMap =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"shop"}})";

const Owner kOwner{{"example.com", "v1", "Widget"}, "shop", "w", "uid-1"};

/// A clock whose time of day somebody may set.
class SetClock final : public base::Clock {
 public:
  void advance(base::Duration by) { inner_.advance(by); }
  void set(base::Duration ahead) { ahead_ = ahead; }
  base::MonotonicTime monotonic() const override { return inner_.monotonic(); }
  base::WallTime wall() const override { return inner_.wall() + ahead_; }
  base::Duration thread_cpu() const override { return inner_.thread_cpu(); }
  void wait_until(base::CondVar& cv, base::Mutex& mutex, base::MonotonicTime deadline) override
      CW_REQUIRES(mutex) {
    inner_.wait_until(cv, mutex, deadline);
  }

 private:
  base::ManualClock inner_;
  base::Duration ahead_{};
};

struct Run {
  model::MemoryServer api;
  SetClock clock;
  kube::Call call;
  HookProgress progress;
  HookRunner runner{
      api, call, clock, kOwner, {std::chrono::minutes(5), [] { return base::Status(); }}};

  static HookObject hook(std::string_view object, std::vector<std::string> policies = {},
                         const std::string& run = "run 1") {
    HookObject one;
    one.hook.delete_policies = std::move(policies);
    one.desired = CW_MUST(make_desired(json(object), Role::kChild, kube::Scope::kNamespaced,
                                       {kOwner, "shop", testing::kBookstore, {}}));
    one.run = run;
    return one;
  }
  HookOutcome step(const std::vector<HookObject>& hooks) {
    return CW_MUST(runner.run(hooks, 0, progress));
  }
  void end_job(const std::string& condition) {
    Value job = *api.find(kube::ref_of(json(kJob)));
    job.mutable_dict().set("status", json(R"({"conditions":[{"type":")" + condition +
                                          R"(","status":"True","reason":"R"}]})"));
    api.put(job);
  }
  bool exists(std::string_view object) const {
    return api.find(kube::ref_of(json(object))).has_value();
  }
};

TEST_CASE("An object that is not waited for is done when it exists") {
  Run run;
  CHECK(run.step({Run::hook(kMap)}).state == HookState::kSucceeded);
  CHECK(run.progress == HookProgress{1, "", {}});
  CHECK(run.api.whats() == std::vector<std::string>{"create ConfigMap shop/m"});
}

TEST_CASE("A hook waits for the one before it") {
  Run run;
  const std::vector<HookObject> hooks = {Run::hook(kJob), Run::hook(kMap)};
  CHECK(run.step(hooks).state == HookState::kRunning);
  CHECK(run.step(hooks).message == "Job.batch shop/j: 0 pods active, 0 failed");
  CHECK_FALSE(run.exists(kMap));
  run.end_job("Complete");
  CHECK(run.step(hooks).state == HookState::kSucceeded);
  CHECK(run.exists(kMap));
  CHECK(run.progress.done == 2);
  run.api.forget_calls();
  CHECK(run.step(hooks).state == HookState::kSucceeded);
  CHECK(run.api.whats().empty());
}

TEST_CASE("A failed hook is deleted if its policy says so") {
  for (const bool deletes : {false, true}) {
    Run run;
    const std::vector<HookObject> hooks = {
        Run::hook(kJob, deletes ? std::vector<std::string>{"hook-failed"}
                                : std::vector<std::string>{"hook-succeeded"})};
    run.step(hooks);
    run.end_job("Failed");
    const HookOutcome outcome = run.step(hooks);
    CHECK(outcome.state == HookState::kFailed);
    CHECK(outcome.message == "Job.batch shop/j failed: R");
    CHECK(run.exists(kJob));  // Until the failure is stored.
    CHECK(run.runner.delete_failed(hooks[0]).ok());
    CHECK(run.exists(kJob) != deletes);
  }
}

TEST_CASE("An object of this run is recognised, one of an earlier run is replaced") {
  Run run;
  run.step({Run::hook(kJob)});
  const std::string uid = run.progress.uid;
  run.progress = {};  // Its record was not written.
  CHECK(run.step({Run::hook(kJob)}).state == HookState::kRunning);
  CHECK(run.progress.uid == uid);

  run.progress = {};
  const HookObject next = Run::hook(kJob, {}, "run 2");
  CHECK(run.step({next}).message == "Job.batch shop/j: an earlier one is being deleted");
  CHECK(run.step({next}).state == HookState::kRunning);
  CHECK(run.progress.uid != uid);
}

TEST_CASE("A hook waits for the deletion of an earlier one as long as it may take itself") {
  Run run;
  run.step({Run::hook(kJob)});
  Value held = *run.api.find(kube::ref_of(json(kJob)));
  held.find("metadata")->mutable_dict().set("finalizers", json(R"(["example.com/hold"])"));
  run.api.put(held);
  run.progress = {};
  const HookObject next = Run::hook(kJob, {}, "run 2");
  CHECK(run.step({next}).message == "Job.batch shop/j: an earlier one is being deleted");
  run.clock.advance(std::chrono::minutes(4));
  SECTION("it goes: the hook has its own time") {
    run.api.erase(kube::ref_of(json(kJob)));
    CHECK(run.step({next}).state == HookState::kRunning);
    run.clock.advance(std::chrono::minutes(4));
    CHECK(run.step({next}).state == HookState::kRunning);
  }
  SECTION("it stays") {
    CHECK(run.step({next}).state == HookState::kRunning);
    run.clock.advance(std::chrono::minutes(1));
    const HookOutcome outcome = run.step({next});
    CHECK(outcome.state == HookState::kFailed);
    CHECK(outcome.message ==
          "Job.batch shop/j has not begun within 5m0s: an earlier one is being deleted");
  }
}

TEST_CASE("A clock that is set neither ends a hook nor keeps it running") {
  const auto ahead = std::chrono::hours(GENERATE(-1, 1));
  const bool restarts = GENERATE(false, true);
  CAPTURE(ahead.count(), restarts);
  Run run;
  const std::vector<HookObject> hooks = {Run::hook(kJob)};
  run.step(hooks);
  run.clock.set(ahead);
  if (restarts) {  // The rest is not stored.
    run.progress = HookProgress{run.progress.done, run.progress.uid, run.progress.started_at};
  }
  CHECK(run.step(hooks).state == HookState::kRunning);
  run.clock.advance(std::chrono::seconds(299));
  CHECK(run.step(hooks).state == HookState::kRunning);
  run.clock.advance(std::chrono::seconds(1));
  CHECK(run.step(hooks).message ==
        "Job.batch shop/j has not finished within 5m0s: 0 pods active, 0 failed");
}

TEST_CASE("A hook that another process has begun has its time, whatever clock that one had") {
  Run run;
  const std::vector<HookObject> hooks = {Run::hook(kJob)};
  run.step(hooks);
  run.progress = {};  // Its record was not written.
  run.clock.set(std::chrono::hours(1));
  CHECK(run.step(hooks).state == HookState::kRunning);
  run.clock.advance(std::chrono::minutes(5));
  CHECK(run.step(hooks).state == HookState::kFailed);
}

TEST_CASE("An object of an earlier run that must stay is in the way") {
  Run run;
  run.step({Run::hook(kMap)});
  run.progress = {};
  const HookOutcome outcome = run.step({Run::hook(kMap, {"hook-failed"}, "run 2")});
  CHECK(outcome.state == HookState::kFailed);
  CHECK_THAT(outcome.message,
             Catch::Matchers::StartsWith("ConfigMap shop/m exists from an earlier"));
}

TEST_CASE("An object of others is left alone") {
  Run run;
  run.api.put(json(kMap));
  const auto outcome = run.runner.run({Run::hook(kMap)}, 0, run.progress);
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().code() == base::ErrorCode::kOwnership);
  CHECK(run.exists(kMap));
}

TEST_CASE("The objects that are deleted after success are those that the run created") {
  Run run;
  const std::vector<HookObject> hooks = {Run::hook(kMap, {"hook-succeeded"}), Run::hook(kJob)};
  run.step(hooks);
  REQUIRE(run.runner.delete_succeeded({Run::hook(kMap, {"hook-succeeded"}, "run 2")}).ok());
  CHECK(run.exists(kMap));
  REQUIRE(run.runner.delete_succeeded(hooks).ok());
  CHECK_FALSE(run.exists(kMap));
  CHECK(run.exists(kJob));
  REQUIRE(run.runner.delete_succeeded(hooks).ok());
}

}  // namespace
}  // namespace chartwright::release
