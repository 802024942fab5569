// SPDX-License-Identifier: Apache-2.0
#include "test/sim/run.h"

#include <map>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "sim/process.h"
#include "sim/scheduler.h"
#include "test/sim/search_strategies.h"
#include "test/sim/subject_stage.h"

namespace chartwright::sim {
namespace {

using base::Status;

constexpr base::Duration kRestart = std::chrono::seconds(1);
/// Longer than any backoff of the operator grows in a run of few failures.
constexpr base::Duration kConvergence = std::chrono::minutes(40);
/// How long nothing may be sent after that.
constexpr base::Duration kRest = std::chrono::minutes(10);
/// Where processes elect a leader, they do so every two seconds.
constexpr base::Duration kConvergenceOfMany = std::chrono::minutes(8);
constexpr base::Duration kRestOfMany = std::chrono::minutes(2);

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

OperatorSetup setup_of(const LoadedSubject& subject) {
  OperatorSetup setup;
  setup.watches = subject.watches();
  setup.kinds = subject.mappings();
  process::OperatorOptions& options = setup.options;
  options.reconcile_period = {};
  options.max_concurrent_reconciles = 2;
  options.metrics_address = "0";
  options.health_address = "0";
  options.render_memory = size_t{1} << 30;
  options.own_namespace = "shop";
  options.key_place.secret = {{"", "v1", "Secret"}, std::string(kOwnNamespace), "key"};
  options.leader_elect = subject.subject().elects;
  options.leader_election_namespace = kOwnNamespace;
  options.leader_election_id = "leader";
  return setup;
}

/// Leads through the steps of the subject, on the main thread.
class Director {
 public:
  Director(const LoadedSubject& subject, Stage& stage)
      : subject_(subject), setup_(setup_of(subject)), stage_(stage) {}

  Status direct() {
    start("a");
    for (const std::string& step : subject_.subject().steps) {
      CW_TRY_VOID(perform(step));
    }
    const bool elects = subject_.subject().elects;
    wait(elects ? kConvergenceOfMany : kConvergence);
    stage_.script.end();
    stage_.tell({.what = Row::What::kRest});
    wait(elects ? kRestOfMany : kRest);
    stage_.scheduler.stop_exploring();
    processes_.clear();
    return {};
  }

 private:
  struct Place {
    bool has_ended = false;
    std::unique_ptr<Process> process;
  };

  Status perform(const std::string& step) {
    const std::vector<std::string_view> words = base::split(step, ' ');
    const std::string name(words.size() > 1 ? words[1] : "a");
    const bool is_there = processes_.contains(name);
    if (step == "restart") {
      stop(name);
      start(name);
    } else if (words[0] == "start" && words.size() == 2) {
      start(name);
    } else if (words[0] == "stop" && words.size() == 2 && is_there) {
      stop(name);
    } else if (words[0] == "freeze" && words.size() == 3 && is_there) {
      CW_TRY(const base::Duration duration, base::parse_go_duration(words[2]));
      stage_.scheduler.freeze(name, duration);
    } else if (words[0] == "wait" && words.size() == 2) {
      CW_TRY(const base::Duration duration, base::parse_go_duration(words[1]));
      wait(duration);
    } else {
      return stage_.perform(step);
    }
    return {};
  }

  void stop(const std::string& name) {
    processes_[name].process->stop();
    processes_.erase(name);
  }

  void start(const std::string& name) {
    stage_.tell({.what = Row::What::kStart, .process = name});
    Place& place = processes_[name];
    place = {};
    place.process = std::make_unique<Process>(name, setup_, stage_, [this, &place] {
      place.has_ended = true;
      stage_.scheduler.wake_main();
    });
  }

  /// Starts those again that have ended.
  void tend() {
    for (auto& [name, place] : processes_) {
      if (place.has_ended) {
        stage_.tell({.what = Row::What::kCrash, .process = name});
        stage_.scheduler.stop_exploring();
        place.process->crash();
        stage_.scheduler.explore_again();
        stage_.scheduler.pass(kRestart);
        start(name);
      }
    }
  }

  void wait(base::Duration duration) {
    const base::MonotonicTime end = stage_.scheduler.now() + duration;
    while (stage_.scheduler.now() < end && stage_.scheduler.stuck().empty()) {
      tend();
      if (stage_.scheduler.now() < end) {
        stage_.scheduler.pass(end - stage_.scheduler.now());
      }
    }
  }

  const LoadedSubject& subject_;
  const OperatorSetup setup_;
  Stage& stage_;
  std::map<std::string, Place> processes_;
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
    SubjectStage stage(plan, scheduler);
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
