// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller_metrics.h"

#include <vector>

namespace chartwright::runtime {
namespace {

using base::MetricInfo;
using base::MetricLabels;

const MetricInfo kReconciles{"controller_runtime_reconcile_total",
                             "Total number of reconciliations per controller"};
const MetricInfo kErrors{"controller_runtime_reconcile_errors_total",
                         "Total number of reconciliation errors per controller"};
const MetricInfo kTerminalErrors{"controller_runtime_terminal_reconcile_errors_total",
                                 "Total number of terminal reconciliation errors per controller"};
const MetricInfo kPanics{"controller_runtime_reconcile_panics_total",
                         "Total number of reconciliation panics per controller"};
const MetricInfo kReconcileTime{"controller_runtime_reconcile_time_seconds",
                                "Length of time per reconciliation per controller"};
const MetricInfo kMaxWorkers{"controller_runtime_max_concurrent_reconciles",
                             "Maximum number of concurrent reconciles per controller"};
const MetricInfo kActiveWorkers{"controller_runtime_active_workers",
                                "Number of currently used workers per controller"};
const MetricInfo kDepth{"workqueue_depth", "Current depth of workqueue"};
const MetricInfo kAdds{"workqueue_adds_total", "Total number of adds handled by workqueue"};
const MetricInfo kQueueDuration{
    "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested"};
const MetricInfo kWorkDuration{"workqueue_work_duration_seconds",
                               "How long in seconds processing an item from workqueue takes."};
const MetricInfo kUnfinished{"workqueue_unfinished_work_seconds",
                             "Seconds of work in progress that work_duration has not seen yet; "
                             "large values mean stuck threads."};
const MetricInfo kLongestRunning{
    "workqueue_longest_running_processor_seconds",
    "How many seconds the longest running processor of the workqueue has been running."};
const MetricInfo kRetries{"workqueue_retries_total",
                          "Total number of retries handled by workqueue"};

const std::vector<double>& reconcile_bounds() {
  static const std::vector<double> kBounds = {
      0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
      0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
      6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
  return kBounds;
}

const std::vector<double>& queue_bounds() {
  static const std::vector<double> kBounds = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                              1e-2, 1e-1, 1,    10,   100,  1000};
  return kBounds;
}

double seconds(base::Duration duration) { return std::chrono::duration<double>(duration).count(); }

MetricLabels controller_label(const std::string& name) { return {{"controller", name}}; }

MetricLabels result_labels(const std::string& name, const std::string& result) {
  return {{"controller", name}, {"result", result}};
}

MetricLabels queue_labels(const std::string& name) {
  return {{"name", name}, {"controller", name}};
}

}  // namespace

ControllerMetrics::ControllerMetrics(base::Metrics& metrics, const std::string& controller,
                                     int workers)
    : success_(metrics.counter(kReconciles, result_labels(controller, "success"))),
      requeue_after_(metrics.counter(kReconciles, result_labels(controller, "requeue_after"))),
      error_(metrics.counter(kReconciles, result_labels(controller, "error"))),
      errors_(metrics.counter(kErrors, controller_label(controller))),
      terminal_errors_(metrics.counter(kTerminalErrors, controller_label(controller))),
      panics_(metrics.counter(kPanics, controller_label(controller))),
      reconcile_time_(
          metrics.histogram(kReconcileTime, reconcile_bounds(), controller_label(controller))),
      active_workers_(metrics.gauge(kActiveWorkers, controller_label(controller))),
      depth_(metrics.gauge(kDepth, queue_labels(controller))),
      adds_(metrics.counter(kAdds, queue_labels(controller))),
      queue_duration_(metrics.histogram(kQueueDuration, queue_bounds(), queue_labels(controller))),
      work_duration_(metrics.histogram(kWorkDuration, queue_bounds(), queue_labels(controller))),
      unfinished_(metrics.gauge(kUnfinished, queue_labels(controller))),
      longest_running_(metrics.gauge(kLongestRunning, queue_labels(controller))),
      retries_(metrics.counter(kRetries, queue_labels(controller))) {
  // The one result of controller-runtime that we never have: ours are requeue_after. Dashboards
  // query it.
  metrics.counter(kReconciles, result_labels(controller, "requeue"));
  metrics.gauge(kMaxWorkers, controller_label(controller)).set(workers);
}

void ControllerMetrics::reconciled(Counted result, base::Duration took) {
  reconcile_time_.observe(seconds(took));
  switch (result) {
    case Counted::kSuccess:
      success_.increment();
      return;
    case Counted::kRequeueAfter:
      requeue_after_.increment();
      return;
    case Counted::kTerminalError:
      terminal_errors_.increment();
      break;
    case Counted::kError:
      break;
  }
  error_.increment();
  errors_.increment();
}

QueueHooks ControllerMetrics::queue_hooks() {
  QueueHooks hooks;
  hooks.on_add = [this] { adds_.increment(); };
  hooks.on_depth = [this](int delta) { depth_.add(delta); };
  hooks.on_get = [this](base::Duration waited) { queue_duration_.observe(seconds(waited)); };
  hooks.on_done = [this](base::Duration worked) { work_duration_.observe(seconds(worked)); };
  return hooks;
}

void ControllerMetrics::running(const WorkQueue::Running& running) {
  unfinished_.set(seconds(running.total));
  longest_running_.set(seconds(running.longest));
}

}  // namespace chartwright::runtime
