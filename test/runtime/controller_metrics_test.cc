// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller_metrics.h"

#include <catch2/catch.hpp>

namespace chartwright::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("Every series of a controller is there at 0 before anything happens") {
  base::Metrics metrics;
  const ControllerMetrics controller(metrics, "x-controller", 3);
  const std::string text = metrics.expose();
  // The series that dashboards for controller-runtime select.
  for (
      const std::string_view series :
      {R"(controller_runtime_reconcile_total{controller="x-controller",result="success"} 0)",
       R"(controller_runtime_reconcile_total{controller="x-controller",result="error"} 0)",
       R"(controller_runtime_reconcile_total{controller="x-controller",result="requeue"} 0)",
       R"(controller_runtime_reconcile_total{controller="x-controller",result="requeue_after"} 0)",
       R"(controller_runtime_reconcile_errors_total{controller="x-controller"} 0)",
       R"(controller_runtime_terminal_reconcile_errors_total{controller="x-controller"} 0)",
       R"(controller_runtime_reconcile_panics_total{controller="x-controller"} 0)",
       R"(controller_runtime_reconcile_time_seconds_count{controller="x-controller"} 0)",
       R"(controller_runtime_max_concurrent_reconciles{controller="x-controller"} 3)",
       R"(controller_runtime_active_workers{controller="x-controller"} 0)",
       R"(workqueue_depth{controller="x-controller",name="x-controller"} 0)",
       R"(workqueue_adds_total{controller="x-controller",name="x-controller"} 0)",
       R"(workqueue_queue_duration_seconds_count{controller="x-controller",name="x-controller"} 0)",
       R"(workqueue_work_duration_seconds_count{controller="x-controller",name="x-controller"} 0)",
       R"(workqueue_unfinished_work_seconds{controller="x-controller",name="x-controller"} 0)",
       R"(workqueue_longest_running_processor_seconds{controller="x-controller",name="x-controller"} 0)",
       R"(workqueue_retries_total{controller="x-controller",name="x-controller"} 0)"}) {
    INFO(series);
    CHECK(text.find(std::string(series) + "\n") != std::string::npos);
  }
}

TEST_CASE("Results, times and queue reports are counted") {
  base::Metrics metrics;
  ControllerMetrics controller(metrics, "x", 1);
  controller.reconciled(Counted::kSuccess, milliseconds(20));
  controller.reconciled(Counted::kError, seconds(100));
  controller.reconciled(Counted::kTerminalError, milliseconds(1));
  const QueueHooks hooks = controller.queue_hooks();
  hooks.on_add();
  hooks.on_depth(+3);
  hooks.on_depth(-1);
  hooks.on_get(milliseconds(2));
  hooks.on_done(milliseconds(2));
  controller.running({seconds(7), seconds(5)});
  const std::string text = metrics.expose();
  for (const std::string_view line :
       {R"(controller_runtime_reconcile_total{controller="x",result="success"} 1)",
        R"(controller_runtime_reconcile_total{controller="x",result="error"} 2)",
        R"(controller_runtime_reconcile_errors_total{controller="x"} 2)",
        R"(controller_runtime_terminal_reconcile_errors_total{controller="x"} 1)",
        R"(controller_runtime_reconcile_time_seconds_bucket{controller="x",le="0.005"} 1)",
        R"(controller_runtime_reconcile_time_seconds_bucket{controller="x",le="0.025"} 2)",
        R"(controller_runtime_reconcile_time_seconds_bucket{controller="x",le="60"} 2)",
        R"(controller_runtime_reconcile_time_seconds_count{controller="x"} 3)",
        R"(workqueue_adds_total{controller="x",name="x"} 1)",
        R"(workqueue_depth{controller="x",name="x"} 2)",
        R"(workqueue_unfinished_work_seconds{controller="x",name="x"} 7)",
        R"(workqueue_longest_running_processor_seconds{controller="x",name="x"} 5)"}) {
    INFO(line);
    CHECK(text.find(std::string(line) + "\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace chartwright::runtime
