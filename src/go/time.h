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
  /// Source: Go time.Date, for parts that are in range.
  static Time from_civil(const Civil& civil, int32_t nanoseconds, const TimeZone::Ptr& zone);
  Civil civil() const;
  Time in(TimeZone::Ptr other) const;
  Time plus(base::Duration duration) const;
  /// Between two instants, at most what a Duration can hold. Source: Go Time.Sub.
  base::Duration minus(const Time& other) const;
  /// Negative, 0 or positive; the zone does not count.
  int compare(const Time& other) const;
};

/// Source: Go Time.Format.
std::string format_time(const Time& time, std::string_view layout);
/// As a template prints it: "2006-01-02 15:04:05.999999999 -0700 MST".
std::string to_string(const Time& time);
/// Reads `text`; where it names no zone, it is in the process's own. Error: kParse with Go's text.
/// Source: Go time.ParseInLocation(layout, text, time.Local).
base::Result<Time> parse_time(std::string_view layout, std::string_view text);
/// The same with another zone than the process's own. Source: Go time.ParseInLocation.
base::Result<Time> parse_time_in(std::string_view layout, std::string_view text,
                                 const TimeZone::Ptr& zone);

std::string_view month_name(int month);
std::string_view weekday_name(int weekday);

}  // namespace chartwright::go
