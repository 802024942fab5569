// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "runtime/work_queue.h"

namespace chartwright::runtime {

/// The result under which a reconcile is counted.
enum class Counted : uint8_t { kSuccess, kRequeueAfter, kError, kTerminalError };

/// The metrics of one controller, with the names, labels and buckets that dashboards for
/// controller-runtime expect. Every series starts at 0. Thread-safe.
/// Source: controller-runtime pkg/internal/controller/metrics, pkg/internal/metrics/workqueue.go.
class ControllerMetrics {
 public:
  /// `metrics` must outlive it.
  ControllerMetrics(base::Metrics& metrics, const std::string& controller, int workers);
  void reconciled(Counted result, base::Duration took);
  void panicked() { panics_.increment(); }
  void retried() { retries_.increment(); }
  void active_workers(int delta) { active_workers_.add(delta); }
  /// Returns the hooks that count what the queue reports. They must not outlive this object.
  QueueHooks queue_hooks();
  void running(const WorkQueue::Running& running);

 private:
  base::Counter& success_;
  base::Counter& requeue_after_;
  base::Counter& error_;
  base::Counter& errors_;
  base::Counter& terminal_errors_;
  base::Counter& panics_;
  base::Histogram& reconcile_time_;
  base::Gauge& active_workers_;
  base::Gauge& depth_;
  base::Counter& adds_;
  base::Histogram& queue_duration_;
  base::Histogram& work_duration_;
  base::Gauge& unfinished_;
  base::Gauge& longest_running_;
  base::Counter& retries_;
};

}  // namespace chartwright::runtime
