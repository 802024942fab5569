// SPDX-License-Identifier: Apache-2.0
#include "go/civil.h"

namespace chartwright::go {

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

bool is_leap_year(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_before_month(int month) {
  constexpr int kBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  return kBefore[month - 1];
}

int days_in_month(int month, int64_t year) {
  if (month == 2) {
    return is_leap_year(year) ? 29 : 28;
  }
  return days_before_month(month + 1) - days_before_month(month);
}

int64_t days_since_epoch(int64_t year, int month, int64_t day) {
  // Whole years since year 1 and their leap days; from then to 1970 are 719162 days.
  const int64_t years = year - 1;
  const int64_t leap_days = floor_div(years, 4) - floor_div(years, 100) + floor_div(years, 400);
  const int leap_day = month > 2 && is_leap_year(year) ? 1 : 0;
  return years * 365 + leap_days + days_before_month(month) + leap_day + day - 1 - 719162;
}

namespace {

// Returns the year of a day counted from the epoch.
int64_t year_of(int64_t days) {
  // The guess from the mean length of a year over 400 years is off by one at most.
  int64_t year = 1970 + floor_div(days * 400, 146097);
  while (days_since_epoch(year, 1, 1) > days) {
    --year;
  }
  while (days_since_epoch(year + 1, 1, 1) <= days) {
    ++year;
  }
  return year;
}

}  // namespace

Civil civil_from_seconds(int64_t seconds) {
  const int64_t days = floor_div(seconds, kSecondsPerDay);
  const int64_t rest = seconds - days * kSecondsPerDay;
  Civil out;
  out.year = year_of(days);
  out.year_day = static_cast<int>(days - days_since_epoch(out.year, 1, 1)) + 1;
  int day_of_month = out.year_day;
  while (day_of_month > days_in_month(out.month, out.year)) {
    day_of_month -= days_in_month(out.month, out.year);
    ++out.month;
  }
  out.day = day_of_month;
  out.weekday = static_cast<int>(days + 4 - 7 * floor_div(days + 4, 7));
  out.hour = static_cast<int>(rest / kSecondsPerHour);
  out.minute = static_cast<int>(rest % kSecondsPerHour / kSecondsPerMinute);
  out.second = static_cast<int>(rest % kSecondsPerMinute);
  return out;
}

}  // namespace chartwright::go
