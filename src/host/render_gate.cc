// SPDX-License-Identifier: Apache-2.0
#include "host/render_gate.h"

#include <algorithm>

namespace chartwright::host {

bool RenderGate::may_enter(uint64_t ticket, size_t bytes) const {
  return queue_.front() == ticket && bytes <= bytes_ - taken_;
}

base::Result<size_t> RenderGate::enter(size_t bytes, const std::stop_token& stop) {
  const size_t wanted = std::min(bytes, bytes_);
  // The mutex ensures that the notification does not come between the check of `stop` and the wait.
  const std::stop_callback wake(stop, [this] {
    base::MutexLock lock(mutex_);
    changed_.notify_all();
  });
  base::MutexLock lock(mutex_);
  const uint64_t ticket = ++last_ticket_;
  const auto place = queue_.insert(queue_.end(), ticket);
  while (!may_enter(ticket, wanted) && !stop.stop_requested()) {
    changed_.wait(mutex_);
  }
  const bool entered = may_enter(ticket, wanted);
  queue_.erase(place);
  if (!queue_.empty()) {
    changed_.notify_all();  // Another caller is first now.
  }
  if (!entered) {
    return base::Error(base::ErrorCode::kCancelled, "stopped while waiting to render");
  }
  taken_ += wanted;
  return wanted;
}

void RenderGate::leave(size_t bytes) {
  base::MutexLock lock(mutex_);
  taken_ -= bytes;
  if (!queue_.empty()) {
    changed_.notify_all();
  }
}

size_t RenderGate::waiting() const {
  base::MutexLock lock(mutex_);
  return queue_.size();
}

}  // namespace chartwright::host
