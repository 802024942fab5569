// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/metrics.h"
#include "value/value.h"

namespace chartwright::op {

/// Counts release records by their size, which the API server limits to 1 MiB. Thread-safe.
class RecordMeter {
 public:
  /// `metrics` must outlive it.
  explicit RecordMeter(base::Metrics& metrics) : metrics_(metrics) {}

  /// Counts from 0 for this kind of custom resource.
  void begin(const std::string& kind) { series(kind); }
  /// Counts a record of a custom resource of this kind, in the Secret that is about to be written.
  void measure(const std::string& kind, const value::Value& secret);

 private:
  base::Histogram& series(const std::string& kind);

  base::Metrics& metrics_;
};

}  // namespace chartwright::op
