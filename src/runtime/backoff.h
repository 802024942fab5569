// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/object.h"

namespace chartwright::runtime {

struct BackoffLimits {
  base::Duration base = std::chrono::milliseconds(5);
  base::Duration max = std::chrono::seconds(1000);
};

/// How long each failing key waits: base·2^n after its n-th failure in a row, at most `max`.
/// Thread-safe. Source: client-go util/workqueue ItemExponentialFailureRateLimiter.
class KeyBackoff {
 public:
  explicit KeyBackoff(const BackoffLimits& limits = {}) : limits_(limits) {}
  /// Counts one more failure of `key` and returns the delay before its next try.
  base::Duration next(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);
  /// `key` succeeded: its next failure starts at `base` again.
  void forget(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);
  /// Failures in a row so far.
  int failures(const kube::ObjectRef& key) const CW_EXCLUDES(mutex_);

 private:
  const BackoffLimits limits_;
  mutable base::Mutex mutex_;
  std::unordered_map<kube::ObjectRef, int> failures_ CW_GUARDED_BY(mutex_);
};

struct StreamBackoffLimits {
  base::Duration base = std::chrono::milliseconds(800);
  base::Duration max = std::chrono::seconds(30);
  base::Duration reset_after = std::chrono::minutes(2);
};

/// The growing, jittered pause between tries of one stream (d to 2d, d doubling from `base` to
/// `max`), back at `base` when `reset_after` has passed since the last failure. Not thread-safe:
/// each stream owns one. Source: client-go tools/cache reflector backoff.
class StreamBackoff {
 public:
  explicit StreamBackoff(const StreamBackoffLimits& limits = {}, uint32_t seed = 0);
  /// The pause after a failure at `now`.
  base::Duration next(base::MonotonicTime now);

 private:
  StreamBackoffLimits limits_;
  base::Duration current_;
  std::optional<base::MonotonicTime> last_failure_;
  std::minstd_rand random_;
};

}  // namespace chartwright::runtime
