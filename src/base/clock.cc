// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <algorithm>
#include <ctime>

namespace chartwright::base {

MonotonicTime after(MonotonicTime now, Duration delay) {
  const auto room = MonotonicTime::max() - now;
  return delay < room ? now + delay : MonotonicTime::max();
}

Duration doubled(Duration first, int times, Duration max) {
  for (int i = 0; i < times && first < max; ++i) {
    first *= 2;  // Cannot overflow: the loop stops at the first value past the limit.
  }
  return std::min(first, max);
}

MonotonicTime SystemClock::monotonic() const { return std::chrono::steady_clock::now(); }

WallTime SystemClock::wall() const { return std::chrono::system_clock::now(); }

Duration SystemClock::thread_cpu() const {
  timespec used{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) {
    return monotonic().time_since_epoch();  // For sandboxes without this clock; never less.
  }
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

void SystemClock::wait_until(CondVar& cv, Mutex& mutex, MonotonicTime deadline) {
  cv.wait_until(mutex, deadline);
}

}  // namespace chartwright::base
