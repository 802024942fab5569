// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace chartwright::go {

inline constexpr int64_t kSecondsPerMinute = 60;
inline constexpr int64_t kSecondsPerHour = 3600;
inline constexpr int64_t kSecondsPerDay = 86400;

/// A date in the proleptic Gregorian calendar and a time of day.
struct Civil {
  int64_t year = 1;
  int month = 1;  ///< 1 to 12.
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int weekday = 1;   ///< 0 is Sunday.
  int year_day = 1;  ///< 1 to 366.
};

bool is_leap_year(int64_t year);
int days_in_month(int month, int64_t year);
/// Returns the number of days before the month in a non-leap year; 365 for month 13.
int days_before_month(int month);
/// Returns the number of days since 1970-01-01; `day` may lie outside its month.
int64_t days_since_epoch(int64_t year, int month, int64_t day);
/// Converts a number of seconds since 1970-01-01 00:00:00 to a date and time.
Civil civil_from_seconds(int64_t seconds);
/// Returns a / b, rounded towards negative infinity.
int64_t floor_div(int64_t a, int64_t b);

}  // namespace chartwright::go
