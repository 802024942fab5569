// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "bundle/watch.h"
#include "kube/discovery.h"
#include "process/run_operator.h"
#include "sim/scheduler.h"
#include "sim/sim_client.h"
#include "sim/stage.h"

namespace chartwright::sim {

/// The clock of one process. Once that has ended, its time is up whenever it waits for it.
class ProcessClock final : public base::Clock {
 public:
  explicit ProcessClock(const Scheduler& scheduler) : clock_(scheduler) {}
  void end() { ended_ = true; }

  base::MonotonicTime monotonic() const override { return clock_.monotonic() + ahead_.load(); }
  base::WallTime wall() const override { return clock_.wall(); }
  base::Duration thread_cpu() const override { return clock_.thread_cpu(); }
  void wait_until(base::CondVar& cv, base::Mutex& mutex, base::MonotonicTime deadline) override
      CW_REQUIRES(mutex);

 private:
  SimClock clock_;
  std::atomic<bool> ended_{false};
  std::atomic<base::Duration> ahead_{};
};

/// The inputs of an operator.
struct OperatorSetup {
  /// The settings, but for the connection. Its servers should be off.
  process::OperatorOptions options;
  std::vector<bundle::Watch> watches;
  std::vector<kube::ResourceMapping> kinds;  ///< The kinds that the API server serves.
};

/// An operator: run_operator, on threads of a schedule.
class Process {
 public:
  /// `on_end` is called on one of its threads when the script ends it, or when it ends by itself:
  /// crash() or stop() must follow. `setup` and `stage` must outlive it.
  Process(std::string name, const OperatorSetup& setup, Stage& stage, std::function<void()> on_end);
  /// Ends it as crash() does, unless it has ended.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Ends it: from the moment of the call, it changes nothing any more.
  void crash();
  /// Ends it in good order.
  void stop();

 private:
  void run();

  const std::string name_;
  const OperatorSetup& setup_;
  Stage& stage_;
  const std::function<void()> on_end_;
  ProcessClock clock_;
  base::Logger log_;
  SimClient client_;
  std::stop_source stop_;
  base::Thread thread_;
};

}  // namespace chartwright::sim
