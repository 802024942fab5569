// SPDX-License-Identifier: Apache-2.0
#include "runtime/pause.h"

#include "base/mutex.h"

namespace chartwright::runtime {

void pause(base::Clock& clock, base::Duration duration, const std::stop_token& stop) {
  base::Mutex mutex;
  base::CondVar stopped;
  // The mutex ensures that the notification does not come between the check of `stop` and the wait.
  const std::stop_callback wake(stop, [&mutex, &stopped] {
    base::MutexLock lock(mutex);
    stopped.notify_all();
  });
  const base::MonotonicTime deadline = clock.monotonic() + duration;
  base::MutexLock lock(mutex);
  while (!stop.stop_requested() && clock.monotonic() < deadline) {
    clock.wait_until(stopped, mutex, deadline);
  }
}

}  // namespace chartwright::runtime
