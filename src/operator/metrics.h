// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/metrics.h"
#include "kube/transport.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// controller-runtime's metrics of one controller, every series made at 0.
/// Source: sigs.k8s.io/controller-runtime pkg/internal/controller/metrics, pkg/metrics/workqueue.go.
class ControllerSeries final : public runtime::ControllerMetrics {
 public:
  /// `metrics` must outlive this. `workers` is reported as max_concurrent_reconciles.
  ControllerSeries(base::Metrics& metrics, const std::string& controller, int workers);

  void reconciled(Result result, base::Duration took) override;
  void terminal_error() override { terminal_errors_.increment(); }
  void panicked() override { panics_.increment(); }
  void active_workers(int delta) override { active_workers_.add(delta); }
  void retried() override { retries_.increment(); }
  runtime::QueueHooks queue_hooks();

 private:
  base::Counter& success_;
  base::Counter& requeue_after_;
  base::Counter& error_;
  base::Counter& errors_total_;
  base::Counter& terminal_errors_;
  base::Counter& panics_;
  base::Counter& retries_;
  base::Counter& adds_;
  base::Gauge& active_workers_;
  base::Gauge& depth_;
  base::Histogram& reconcile_seconds_;
  base::Histogram& queue_seconds_;
  base::Histogram& work_seconds_;
};

/// Registers helm_operator_build_info and chartwright_build_info.
void register_build_info(base::Metrics& metrics);

/// rest_client_requests_total by code and method: what a Transport calls after each request.
std::function<void(kube::Method, int)> request_counter(base::Metrics& metrics,
                                                       const std::string& host);

}  // namespace chartwright::op
