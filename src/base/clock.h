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

/// The only source of time, so that tests can control it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicTime monotonic() const = 0;
  virtual WallTime wall() const = 0;
  /// Returns the CPU time that the calling thread has used since it started. It does not advance
  /// while the thread waits, or while other threads run on the processor.
  virtual Duration thread_cpu() const = 0;
  /// Waits on `cv` until it is notified or this clock reaches `deadline`. The caller holds `mutex`.
  /// May return early, so callers loop.
  virtual void wait_until(CondVar& cv, Mutex& mutex, MonotonicTime deadline) CW_REQUIRES(mutex) = 0;
};

/// Returns `now + delay`, or the latest possible time if the sum would overflow.
MonotonicTime after(MonotonicTime now, Duration delay);
/// Returns `first`, doubled `times` times, at most `max`, however often that is.
Duration doubled(Duration first, int times, Duration max);

/// Reads the system's clocks.
class SystemClock final : public Clock {
 public:
  MonotonicTime monotonic() const override;
  WallTime wall() const override;
  Duration thread_cpu() const override;
  void wait_until(CondVar& cv, Mutex& mutex, MonotonicTime deadline) override CW_REQUIRES(mutex);
};

/// Formats `time` as metav1.Time does, in UTC with whole seconds: "2026-01-02T15:04:05Z".
std::string format_rfc3339(WallTime time);
/// Formats `time` as metav1.MicroTime does, in UTC with microseconds:
/// "2026-01-02T15:04:05.000000Z".
std::string format_rfc3339_micro(WallTime time);
/// Parses both forms above, with "Z" or a numeric offset. Error: kParse.
Result<WallTime> parse_rfc3339(std::string_view text);

/// Parses Go's duration syntax ("1h2m3.5s", "300ms", "-1m", "0"). Error: kParse with Go's message
/// (`time: invalid duration "x"`). Source: Go time.ParseDuration.
Result<Duration> parse_go_duration(std::string_view text);
/// Formats `duration` as Go does: "1h0m0s", "1.5s", "0s". Source: Go time.Duration.String.
std::string format_go_duration(Duration duration);

}  // namespace chartwright::base
