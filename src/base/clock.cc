// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

namespace chartwright::base {

MonotonicTime after(MonotonicTime now, Duration delay) {
  const auto room = MonotonicTime::max() - now;
  return delay < room ? now + delay : MonotonicTime::max();
}

MonotonicTime SystemClock::monotonic() const { return std::chrono::steady_clock::now(); }

WallTime SystemClock::wall() const { return std::chrono::system_clock::now(); }

void SystemClock::wait_until(CondVar& cv, Mutex& mutex, MonotonicTime deadline) {
  cv.wait_until(mutex, deadline);
}

}  // namespace chartwright::base
