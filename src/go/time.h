// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "go/civil.h"
#include "go/time_zone.h"

namespace chartwright::go {

/// Year 1, January 1, 00:00:00 UTC: Go's zero time.
inline constexpr int64_t kZeroTimeSeconds = -62135596800;

/// An instant and the zone in which it is shown: Go's time.Time without a monotonic reading.
struct Time {
  int64_t seconds = kZeroTimeSeconds;  ///< Since the epoch.
  int32_t nanoseconds = 0;             ///< 0 to 999999999.
  TimeZone::Ptr zone = TimeZone::utc();

  static Time from_wall(base::WallTime wall);
  /// Requires every field of `civil` to be in range. Source: Go time.Date.
  static Time from_civil(const Civil& civil, int32_t nanoseconds, const TimeZone::Ptr& zone);
  Civil civil() const;
  Time in(TimeZone::Ptr other) const;
  Time plus(base::Duration duration) const;
  /// Returns the time between two instants, saturated to the range of Duration.
  /// Source: Go Time.Sub.
  base::Duration minus(const Time& other) const;
  /// Compares instants, ignoring the zone: negative, 0 or positive.
  int compare(const Time& other) const;
};

/// Returns a duration in units of so many nanoseconds. Adds whole units and the remainder
/// separately, to lose no precision. Source: Go Duration.Hours, Minutes, Seconds.
double count_in(base::Duration duration, int64_t nanoseconds);

/// Formats a time by a Go layout. Source: Go Time.Format.
std::string format_time(const Time& time, std::string_view layout);
/// Formats a time as a template prints it: "2006-01-02 15:04:05.999999999 -0700 MST".
std::string to_string(const Time& time);
/// Parses `text`, which is in the process's zone unless it names another. Error: kParse with Go's
/// message. Source: Go time.ParseInLocation(layout, text, time.Local).
base::Result<Time> parse_time(std::string_view layout, std::string_view text);
/// Like parse_time, with `zone` instead of the process's zone. Source: Go time.ParseInLocation.
base::Result<Time> parse_time_in(std::string_view layout, std::string_view text,
                                 const TimeZone::Ptr& zone);

/// Returns the English name of a month; 1 is January.
std::string_view month_name(int month);
/// Returns the English name of a day of the week; 0 is Sunday.
std::string_view weekday_name(int weekday);

}  // namespace chartwright::go
