// SPDX-License-Identifier: Apache-2.0
#include "runtime/pause.h"

#include "base/mutex.h"

namespace chartwright::runtime {

void pause(base::Clock& clock, base::Duration duration, const std::stop_token& stop) {
  base::Mutex mutex;
  base::CondVar stopped;
  const base::WakeOnStop wake(stop, mutex, stopped);
  const base::MonotonicTime deadline = base::after(clock.monotonic(), duration);
  base::MutexLock lock(mutex);
  while (!stop.stop_requested() && clock.monotonic() < deadline) {
    clock.wait_until(stopped, mutex, deadline);
  }
}

}  // namespace chartwright::runtime
