// SPDX-License-Identifier: Apache-2.0
#include "scenario/memory_world.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "sim/process.h"
#include "sim/scheduler.h"
#include "sim/stage.h"

namespace chartwright::scenario {
namespace {

using base::Error;
using base::ErrorCode;
using base::Status;
using value::Value;

/// More turns than a scenario of many steps takes; one that never rests ends within seconds.
constexpr size_t kTurnsMax = 200'000;
constexpr size_t kRenderMemory = size_t{512} << 20;
/// A crashed container is started again. A cluster takes longer after several crashes.
constexpr base::Duration kRestart = std::chrono::seconds(1);
/// How long the operator has sent nothing when it is at rest: it collects changes for less, and
/// tries again sooner after a first failure.
constexpr base::Duration kQuiet = std::chrono::seconds(30);
constexpr base::Duration kLook = std::chrono::seconds(5);
/// With repeated failures, it may send something at a pace for ever.
constexpr base::Duration kSettleMax = std::chrono::minutes(10);

class MemoryWorld final : public World {
 public:
  MemoryWorld(sim::Scheduler& scheduler, std::vector<kube::ResourceMapping> kinds)
      : scheduler_(scheduler), stage_(scheduler, {}) {
    setup_.kinds = std::move(kinds);
    process::OperatorOptions& options = setup_.options;
    options.reconcile_period = {};
    options.metrics_address = "0";
    options.health_address = "0";
    options.render_memory = kRenderMemory;
    options.own_namespace = kOperatorNamespace;
    options.key_place.secret = {{"", "v1", "Secret"}, kOperatorNamespace, "chartwright-key"};
  }
  ~MemoryWorld() override { stop(); }
  MemoryWorld(const MemoryWorld&) = delete;
  MemoryWorld& operator=(const MemoryWorld&) = delete;

  void start(const bundle::Watch& watch) override {
    stop();
    setup_.watches = {watch};
    start_process();
  }

  Status act(const std::string& step, const kube::ObjectRef& ref,
             const std::function<Status(kube::Client&)>& send) override {
    Status sent;
    stage_.change(step, ref, [&] { sent = send(stage_.server); });
    return sent;
  }

  void refuse(const Refusal& refusal) override {
    const std::string call = refusal.verb + " " + refusal.ref.to_string();
    for (size_t i = 1; i <= refusal.times; ++i) {
      stage_.script.add(
          {.when = {sim::Occasion::Side::kBefore, call, stage_.script.arrived(call) + i},
           .kind = sim::Incident::Kind::kRefuse,
           .status = refusal.code,
           .message = refusal.message});
    }
  }

  void crash_after(size_t writes) override { stage_.script.crash_after(writes); }

  Status settle() override {
    const base::MonotonicTime end = scheduler_.now() + kSettleMax;
    base::MonotonicTime last = scheduler_.now();
    size_t seen = stage_.journal.size();
    while (scheduler_.now() < end && scheduler_.now() - last < kQuiet) {
      CW_TRY_VOID(pass(kLook));
      if (stage_.journal.size() > seen) {
        seen = stage_.journal.size();
        last = stage_.journal.back().at;
      }
    }
    return {};
  }

  Status pass(base::Duration duration) override {
    const base::MonotonicTime end = scheduler_.now() + duration;
    while (scheduler_.now() < end) {
      if (!scheduler_.stuck().empty()) {
        return Error(ErrorCode::kInternal, "the operator does not come to rest: its threads took " +
                                               std::to_string(kTurnsMax) + " turns");
      }
      if (has_ended_) {
        process_->crash();
        scheduler_.pass(kRestart);
        start_process();
      }
      if (scheduler_.now() < end) {
        scheduler_.pass(end - scheduler_.now());
      }
    }
    return {};
  }

  base::Result<Value> find(const kube::ObjectRef& ref) override { return stage_.server.peek(ref); }

  base::Result<std::vector<Value>> objects() override {
    std::vector<Value> all;
    for (const auto& [ref, object] : stage_.server.back_up().objects) {
      all.push_back(object);
    }
    return all;
  }

  size_t mark() const override { return stage_.journal.size(); }

  std::vector<Request> requests_since(size_t mark) const override {
    std::vector<Request> requests;
    for (size_t i = mark; i < stage_.journal.size(); ++i) {
      const sim::Row& row = stage_.journal[i];
      const std::string_view verb = base::split(row.call, ' ').front();
      if (row.what == sim::Row::What::kCall && !row.ref.name.empty()) {
        requests.push_back({std::string(verb), row.ref, ""});
      } else if (row.what == sim::Row::What::kAnswer && !row.error.empty()) {
        const auto asked = std::find_if(
            requests.rbegin(), requests.rend(),
            [&](const Request& request) { return request.verb == verb && request.ref == row.ref; });
        if (asked != requests.rend()) {
          asked->error = row.error;
        }
      }
    }
    return requests;
  }

 private:
  void start_process() {
    has_ended_ = false;
    process_ = std::make_unique<sim::Process>("operator", setup_, stage_, [this] {
      has_ended_ = true;
      scheduler_.wake_main();
    });
  }

  void stop() {
    if (process_ != nullptr) {
      process_->stop();
      process_.reset();
    }
  }

  sim::Scheduler& scheduler_;
  sim::Stage stage_;
  sim::OperatorSetup setup_;
  std::unique_ptr<sim::Process> process_;
  bool has_ended_ = false;
};

}  // namespace

bool is_counted_write(const Request& request) {
  static constexpr std::string_view kReads[] = {"get", "list", "discover"};
  const bool is_read = std::ranges::find(kReads, request.verb) != std::end(kReads) ||
                       request.verb.starts_with("dry-");
  return !is_read && request.error.empty() && request.ref.gvk.kind != "Event" &&
         request.ref.ns != kOperatorNamespace;
}

Status play_in_memory(const std::vector<kube::ResourceMapping>& kinds,
                      const std::function<Status(World&)>& play) {
  sim::InOrder in_order;
  sim::Scheduler scheduler(in_order, {.turns_max = kTurnsMax, .plan = "a scenario"});
  Status played;
  scheduler.run([&] {
    MemoryWorld world(scheduler, kinds);
    played = play(world);
  });
  return played;
}

}  // namespace chartwright::scenario
