// SPDX-License-Identifier: Apache-2.0
#include "runtime/activity.h"

#include <utility>

#include "base/mutex.h"

namespace chartwright::runtime {

void Activity::note() {
  base::MutexLock lock(mutex_);
  latest_ = clock_.monotonic();
  if (!std::exchange(noted_, true)) {
    changed_.notify_all();
  }
}

bool Activity::await_rest(base::Duration quiet, const std::stop_token& stop) {
  const base::WakeOnStop wake(stop, mutex_, changed_);
  base::MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!noted_) {
      changed_.wait(mutex_);
    } else if (clock_.monotonic() < base::after(latest_, quiet)) {
      clock_.wait_until(changed_, mutex_, base::after(latest_, quiet));
    } else {
      noted_ = false;
      return true;
    }
  }
  return false;
}

}  // namespace chartwright::runtime
