// SPDX-License-Identifier: Apache-2.0
#include "test/sim/run.h"

#include <memory>
#include <utility>

#include "base/strings.h"
#include "test/sim/process.h"
#include "test/sim/scheduler.h"
#include "test/sim/stage.h"

namespace chartwright::sim {
namespace {

using base::Status;

constexpr base::Duration kRestart = std::chrono::seconds(1);
/// Longer than any backoff of the operator grows in a run of few failures.
constexpr base::Duration kConvergence = std::chrono::minutes(40);
/// How long nothing may be sent after that.
constexpr base::Duration kRest = std::chrono::minutes(10);

std::unique_ptr<Strategy> strategy_of(const Plan& plan) {
  switch (plan.order.kind) {
    case Order::Kind::kFirstCome:
      return std::make_unique<InOrder>(plan.order.deviations);
    case Order::Kind::kWalk:
      return std::make_unique<Walk>(plan.seed, plan.order.number);
    case Order::Kind::kPriorities:
      return std::make_unique<Priorities>(plan.seed, plan.order.number, plan.order.choices);
  }
  return nullptr;
}

/// Leads through the steps of the subject, on the main thread.
class Director {
 public:
  Director(const LoadedSubject& subject, Stage& stage) : subject_(subject), stage_(stage) {}

  Status direct() {
    begin_process();
    for (const std::string& step : subject_.subject().steps) {
      CW_TRY_VOID(perform(step));
    }
    wait(kConvergence);
    stage_.script.end();
    stage_.tell({.what = Row::What::kRest});
    wait(kRest);
    process_.reset();
    return {};
  }

 private:
  Status perform(const std::string& step) {
    if (step == "restart") {
      process_.reset();
      begin_process();
      return {};
    }
    if (step.starts_with("wait ")) {
      CW_TRY(const base::Duration duration, base::parse_go_duration(step.substr(5)));
      wait(duration);
      return {};
    }
    return stage_.perform(step);
  }

  void begin_process() {
    stage_.tell({.what = Row::What::kStart, .process = "a"});
    process_ = std::make_unique<Process>("a", subject_.watches(), stage_, [this] {
      crashed_ = true;
      stage_.scheduler.wake_main();
    });
  }

  void wait(base::Duration duration) {
    const base::MonotonicTime end = stage_.scheduler.now() + duration;
    while (stage_.scheduler.now() < end && stage_.scheduler.stuck().empty()) {
      if (std::exchange(crashed_, false)) {
        stage_.tell({.what = Row::What::kCrash, .process = "a"});
        stage_.scheduler.stop_exploring();
        process_->crash();
        process_.reset();
        stage_.scheduler.explore_again();
        stage_.scheduler.pass(kRestart);
        begin_process();
      } else {
        stage_.scheduler.pass(end - stage_.scheduler.now());
      }
    }
  }

  const LoadedSubject& subject_;
  Stage& stage_;
  bool crashed_ = false;
  std::unique_ptr<Process> process_;
};

}  // namespace

base::Result<Record> run(const Plan& plan, const LoadedSubject& subject) {
  const std::unique_ptr<Strategy> strategy = strategy_of(plan);
  Scheduler::Options options;
  options.seed = plan.seed;
  options.grain = plan.order.fine ? Grain::kLocks : Grain::kCalls;
  options.plan = to_text(plan);
  Scheduler scheduler(*strategy, options);
  Record record;
  record.plan = plan;
  Status directed;
  scheduler.run([&] {
    Stage stage(plan, scheduler);
    directed = Director(subject, stage).direct();
    if (directed.ok()) {
      directed = std::move(stage.bad_step);
    }
    record.end = stage.server.back_up();
    record.missed = stage.script.missed();
    record.journal = std::move(stage.journal);
  });
  CW_TRY_VOID(std::move(directed));
  record.stuck = scheduler.stuck();
  record.deviations = scheduler.deviations();
  record.digest = scheduler.digest();
  record.choices = scheduler.choices();
  return record;
}

base::Result<Record> run(const Plan& plan) {
  CW_TRY(const std::shared_ptr<const LoadedSubject> subject, load_subject(plan.subject));
  return run(plan, *subject);
}

}  // namespace chartwright::sim
