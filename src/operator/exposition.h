// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "runtime/store.h"

namespace chartwright::op {

/// The metrics of the process itself, under the names that Prometheus' clients give them. Not
/// thread-safe.
class ProcessMetrics {
 public:
  /// `metrics` must outlive this; `clock` tells when the process started, which is now.
  ProcessMetrics(base::Metrics& metrics, const base::Clock& clock);
  /// Reads the process's figures from /proc; what cannot be read keeps its last value.
  void update();

 private:
  base::Counter& cpu_seconds_;
  base::Gauge& resident_bytes_;
  base::Gauge& virtual_bytes_;
  base::Gauge& open_fds_;
  double counted_seconds_ = 0;
};

/// resource_created_at_seconds of these custom resources, in Prometheus' text format: made from the
/// caches for each scrape, so that no series outlives its object.
/// Source: operator-framework/operator-lib metrics.
std::string created_at_samples(const std::vector<runtime::Stored>& custom_resources);

}  // namespace chartwright::op
