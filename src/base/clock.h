// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"

namespace chartwright::base {

using Duration = std::chrono::nanoseconds;
using MonotonicTime = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

/// The only source of time, so that tests move it by hand. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicTime monotonic() const = 0;
  virtual WallTime wall() const = 0;
  /// What the calling thread has used of a processor since it began: it stands still while the
  /// thread waits, and while others have the processor.
  virtual Duration thread_cpu() const = 0;
  /// Waits on `cv` (whose `mutex` the caller holds) until notified or `deadline` is reached on this
  /// clock. May return early; callers loop.
  virtual void wait_until(CondVar& cv, Mutex& mutex, MonotonicTime deadline) CW_REQUIRES(mutex) = 0;
};

/// `now + delay`, or the latest time there is where that would overflow.
MonotonicTime after(MonotonicTime now, Duration delay);

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  MonotonicTime monotonic() const override;
  WallTime wall() const override;
  Duration thread_cpu() const override;
  void wait_until(CondVar& cv, Mutex& mutex, MonotonicTime deadline) override CW_REQUIRES(mutex);
};

/// "2026-01-02T15:04:05Z": metav1.Time's form, whole seconds, UTC.
std::string format_rfc3339(WallTime time);
/// "2026-01-02T15:04:05.000000Z": metav1.MicroTime's form.
std::string format_rfc3339_micro(WallTime time);
/// Reads both forms above and offsets. Error: kParse.
Result<WallTime> parse_rfc3339(std::string_view text);

/// Reads Go's duration syntax ("1h2m3.5s", "300ms", "-1m", "0"). Error: kParse with Go's text
/// (`time: invalid duration "x"`). Source: Go time.ParseDuration.
Result<Duration> parse_go_duration(std::string_view text);
/// Go's Duration.String(): "1h0m0s", "1.5s", "0s". Source: Go time.Duration.String.
std::string format_go_duration(Duration duration);

}  // namespace chartwright::base
