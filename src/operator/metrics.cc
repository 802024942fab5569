// SPDX-License-Identifier: Apache-2.0
#include "operator/metrics.h"

#include <chrono>
#include <vector>

namespace chartwright::op {
namespace {

double seconds(base::Duration d) { return std::chrono::duration<double>(d).count(); }

const std::vector<double>& reconcile_bounds() {
  static const std::vector<double> bounds = {
      0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
      0.7,   0.8,   0.9,  1.0,   1.25, 1.5, 1.75, 2.0, 2.5,  3.0, 3.5,  4.0, 4.5,  5,   10, 30, 60};
  return bounds;
}

// client-go's work queue buckets: decades from 10 ns to 1000 s.
const std::vector<double>& queue_bounds() {
  static const std::vector<double> bounds = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                             1e-2, 1e-1, 1,    10,   100,  1000};
  return bounds;
}

base::MetricLabels controller(const std::string& name) { return {{"controller", name}}; }

base::MetricLabels with_result(const std::string& name, const std::string& result) {
  return {{"controller", name}, {"result", result}};
}

base::MetricLabels queue(const std::string& name) {
  return {{"controller", name}, {"name", name}};
}

const base::MetricInfo kReconcileTotal = {"controller_runtime_reconcile_total",
                                          "Total number of reconciliations per controller"};

}  // namespace

ControllerSeries::ControllerSeries(base::Metrics& metrics, const std::string& name, int workers)
    : success_(metrics.counter(kReconcileTotal, with_result(name, "success"))),
      requeue_after_(metrics.counter(kReconcileTotal, with_result(name, "requeue_after"))),
      error_(metrics.counter(kReconcileTotal, with_result(name, "error"))),
      errors_total_(metrics.counter({"controller_runtime_reconcile_errors_total",
                                     "Total number of reconciliation errors per controller"},
                                    controller(name))),
      terminal_errors_(
          metrics.counter({"controller_runtime_terminal_reconcile_errors_total",
                           "Total number of terminal reconciliation errors per controller"},
                          controller(name))),
      panics_(metrics.counter({"controller_runtime_reconcile_panics_total",
                               "Total number of reconciliation panics per controller"},
                              controller(name))),
      retries_(metrics.counter(
          {"workqueue_retries_total", "Total number of retries handled by workqueue"},
          queue(name))),
      adds_(metrics.counter({"workqueue_adds_total", "Total number of adds handled by workqueue"},
                            queue(name))),
      active_workers_(metrics.gauge({"controller_runtime_active_workers",
                                     "Number of currently used workers per controller"},
                                    controller(name))),
      depth_(metrics.gauge({"workqueue_depth", "Current depth of workqueue"}, queue(name))),
      reconcile_seconds_(metrics.histogram({"controller_runtime_reconcile_time_seconds",
                                            "Length of time per reconciliation per controller"},
                                           reconcile_bounds(), controller(name))),
      queue_seconds_(metrics.histogram(
          {"workqueue_queue_duration_seconds",
           "How long in seconds an item stays in workqueue before being requested"},
          queue_bounds(), queue(name))),
      work_seconds_(metrics.histogram(
          {"workqueue_work_duration_seconds",
           "How long in seconds processing an item from workqueue takes"},
          queue_bounds(), queue(name))) {
  metrics
      .gauge({"controller_runtime_max_concurrent_reconciles",
              "Maximum number of concurrent reconciles per controller"},
             controller(name))
      .set(workers);
}

void ControllerSeries::reconciled(Result result, base::Duration took) {
  reconcile_seconds_.observe(seconds(took));
  switch (result) {
    case Result::kSuccess:
      success_.increment();
      return;
    case Result::kRequeueAfter:
      requeue_after_.increment();
      return;
    case Result::kError:
      error_.increment();
      errors_total_.increment();
      return;
  }
}

runtime::QueueHooks ControllerSeries::queue_hooks() {
  runtime::QueueHooks hooks;
  hooks.on_depth = [this](size_t depth) { depth_.set(static_cast<double>(depth)); };
  hooks.on_add = [this] { adds_.increment(); };
  hooks.on_get = [this](base::Duration waited) { queue_seconds_.observe(seconds(waited)); };
  hooks.on_done = [this](base::Duration worked) { work_seconds_.observe(seconds(worked)); };
  return hooks;
}

void register_build_info(base::Metrics& metrics) {
  const base::MetricLabels labels = {{"commit", ""}, {"version", CW_VERSION}};
  metrics
      .gauge({"helm_operator_build_info", "Build information for the helm-operator binary"}, labels)
      .set(1);
  metrics.gauge({"chartwright_build_info", "Build information"}, labels).set(1);
}

std::function<void(kube::Method, int)> request_counter(base::Metrics& metrics,
                                                       const std::string& host) {
  return [&metrics, host](kube::Method method, int status) {
    const std::string code = status == 0 ? "<error>" : std::to_string(status);
    metrics
        .counter({"rest_client_requests_total",
                  "Number of HTTP requests, partitioned by status code, method, and host."},
                 {{"code", code}, {"host", host}, {"method", std::string(to_string(method))}})
        .increment();
  };
}

}  // namespace chartwright::op
