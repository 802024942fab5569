// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/metrics.h"
#include "base/result.h"
#include "external/driver.h"

namespace chartwright::external {

/// Reports whether an error of a call may pass by itself: the server did not answer, is overloaded,
/// or asks for time.
bool may_pass(const base::Error& error);

/// Counts calls to servers of externals by their result. Thread-safe.
class CallCounter {
 public:
  /// `metrics` must outlive it.
  explicit CallCounter(base::Metrics& metrics);
  /// Counts a call that was sent, by its reply. A call that was withheld is not counted.
  void count(const base::Result<Reply>& reply);

 private:
  base::Counter& success_;
  base::Counter& refused_;
  base::Counter& unavailable_;
};

}  // namespace chartwright::external
