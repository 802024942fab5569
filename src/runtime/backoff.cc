// SPDX-License-Identifier: Apache-2.0
#include "runtime/backoff.h"

#include <algorithm>


namespace chartwright::runtime {

base::Duration KeyBackoff::next(const kube::ObjectRef& key, base::Duration at_most) {
  base::MutexLock lock(mutex_);
  const int before = failures_[key]++;
  const base::Duration delay = base::doubled(limits_.base, before, limits_.max);
  const base::Duration share = kShare * static_cast<int64_t>(failures_.size());
  const base::Duration whole = std::min(delay, std::max(at_most, share));
  std::uniform_int_distribution<base::Duration::rep> jitter(0, whole.count() / 4);
  return whole - base::Duration(jitter(random_));
}

void KeyBackoff::forget(const kube::ObjectRef& key) {
  base::MutexLock lock(mutex_);
  failures_.erase(key);
}

int KeyBackoff::failures(const kube::ObjectRef& key) const {
  base::MutexLock lock(mutex_);
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
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
