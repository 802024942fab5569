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

/// Computes the retry delay of each failing key: `base` after its first failure in a row, then
/// twice the one before, at most `max`, less a random part of up to a quarter: keys that have
/// failed together are not tried again together. Thread-safe. Source: client-go util/workqueue
/// ItemExponentialFailureRateLimiter, but for the random part, and for failures with `at_most`:
/// however many there were, another one waits no more than twice that.
class KeyBackoff {
 public:
  /// The time that each failing key adds to shorter delays.
  static constexpr base::Duration kShare = std::chrono::milliseconds(100);

  explicit KeyBackoff(const BackoffLimits& limits = {}, uint32_t seed = 0)
      : limits_(limits), random_(seed) {}
  /// Counts one more failure of `key` and returns the delay before its next try. `at_most` shortens
  /// it, but not below kShare for each failing key: however many fail, their tries stay rare.
  base::Duration next(const kube::ObjectRef& key, base::Duration at_most = base::Duration::max())
      CW_EXCLUDES(mutex_);
  /// Resets `key`, which has succeeded: its next failure starts at `base` again.
  void forget(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);
  /// Returns how often `key` has failed in a row.
  int failures(const kube::ObjectRef& key) const CW_EXCLUDES(mutex_);

 private:
  const BackoffLimits limits_;
  mutable base::Mutex mutex_;
  struct Failures {
    int count = 0;
    base::Duration delay{};  ///< The last one, without the random part.
  };
  std::unordered_map<kube::ObjectRef, Failures> failures_ CW_GUARDED_BY(mutex_);
  std::minstd_rand random_ CW_GUARDED_BY(mutex_);
};

struct StreamBackoffLimits {
  base::Duration base = std::chrono::milliseconds(800);
  base::Duration max = std::chrono::seconds(30);
  base::Duration reset_after = std::chrono::minutes(2);
};

/// Computes the pauses between retries of one stream. Each is drawn from d to 2d, where d doubles
/// from `base` to `max` and returns to `base` when `reset_after` has passed since the last failure.
/// Not thread-safe: each stream owns one. Source: client-go tools/cache reflector backoff.
class StreamBackoff {
 public:
  explicit StreamBackoff(const StreamBackoffLimits& limits = {}, uint32_t seed = 0);
  /// Returns the pause after a failure at `now`.
  base::Duration next(base::MonotonicTime now);

 private:
  StreamBackoffLimits limits_;
  base::Duration current_;
  std::optional<base::MonotonicTime> last_failure_;
  std::minstd_rand random_;
};

}  // namespace chartwright::runtime
