// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "runtime/store.h"

namespace chartwright::runtime {

/// Registers the version of the build, under helm-operator's name and ours.
void register_build_info(base::Metrics& metrics);

/// The metrics of the process itself, with the names that Prometheus client libraries use. Not
/// thread-safe.
class ProcessMetrics {
 public:
  /// `metrics` must outlive this. The start time of the process is the current time of `clock`.
  ProcessMetrics(base::Metrics& metrics, const base::Clock& clock);
  /// Reads the values from /proc. A value that cannot be read stays as it was.
  void update();

 private:
  base::Counter& cpu_seconds_;
  base::Gauge& resident_bytes_;
  base::Gauge& virtual_bytes_;
  base::Gauge& open_fds_;
  double counted_seconds_ = 0;
};

/// The longest value of a label: no name of an object is longer.
inline constexpr size_t kLabelBytesMax = 256;

/// Returns NAME="VALUE" as the text format has it: escaped, and cut to kLabelBytesMax.
std::string label(std::string_view name, std::string_view value);

/// resource_created_at_seconds of these custom resources, in Prometheus' text format. It is made
/// for each scrape, so that no series outlives its object.
/// Source: operator-framework/operator-lib metrics.
std::string created_at_samples(const std::vector<Stored>& custom_resources);

}  // namespace chartwright::runtime
