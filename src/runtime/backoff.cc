// SPDX-License-Identifier: Apache-2.0
#include "runtime/backoff.h"

#include <algorithm>

namespace chartwright::runtime {

base::Duration KeyBackoff::next(const kube::ObjectRef& key, base::Duration at_most) {
  base::MutexLock lock(mutex_);
  Failures& failures = failures_[key];
  const base::Duration doubled =
      failures.count == 0 ? limits_.base : base::doubled(failures.delay, 1, limits_.max);
  ++failures.count;
  const base::Duration share = kShare * static_cast<int64_t>(failures_.size());
  failures.delay = std::min(doubled, std::max(at_most, share));
  std::uniform_int_distribution<base::Duration::rep> jitter(0, failures.delay.count() / 4);
  return failures.delay - base::Duration(jitter(random_));
}

void KeyBackoff::forget(const kube::ObjectRef& key) {
  base::MutexLock lock(mutex_);
  failures_.erase(key);
}

int KeyBackoff::failures(const kube::ObjectRef& key) const {
  base::MutexLock lock(mutex_);
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second.count;
}

StreamBackoff::StreamBackoff(const StreamBackoffLimits& limits, uint32_t seed)
    : limits_(limits), current_(limits.base), random_(seed) {}

base::Duration StreamBackoff::next(base::MonotonicTime now) {
  if (last_failure_ && now - *last_failure_ >= limits_.reset_after) {
    current_ = limits_.base;
  }
  last_failure_ = now;
  const base::Duration step = current_;
  current_ = std::min(current_ * 2, limits_.max);
  // When many operators lose the same API server, they must not all retry at the same time.
  std::uniform_int_distribution<base::Duration::rep> jitter(0, step.count());
  return step + base::Duration(jitter(random_));
}

}  // namespace chartwright::runtime
