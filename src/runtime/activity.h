// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "base/clock.h"
#include "base/mutex.h"

namespace chartwright::runtime {

/// Tells a thread when the others have come to rest. Thread-safe.
class Activity {
 public:
  explicit Activity(base::Clock& clock) : clock_(clock) {}

  /// Records that something was done just now.
  void note();
  /// Blocks until something has been noted since the last call, and then nothing for `quiet`.
  /// Returns false if `stop` was requested before. For one thread; it sleeps while nothing happens.
  bool await_rest(base::Duration quiet, const std::stop_token& stop);

 private:
  base::Clock& clock_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool noted_ CW_GUARDED_BY(mutex_) = false;  ///< Since the last await_rest().
  base::MonotonicTime latest_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::runtime
