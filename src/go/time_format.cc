// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "go/time.h"
#include "go/time_layout.h"

namespace chartwright::go {
namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

// Wraps around on overflow as in Go; signed overflow is undefined in C++.
int64_t shifted(int64_t seconds, int64_t offset) {
  return static_cast<int64_t>(static_cast<uint64_t>(seconds) + static_cast<uint64_t>(offset));
}

std::string padded(int64_t number, size_t width, char fill) {
  const bool negative = number < 0;
  std::string digits = std::to_string(negative ? -number : number);
  if (digits.size() < width) {
    digits.insert(0, width - digits.size(), fill);
  }
  return (negative ? "-" : "") + digits;
}

std::string zero_padded(int64_t number, size_t width) { return padded(number, width, '0'); }

std::string format_offset(int64_t offset, const OffsetForm& form) {
  if (offset == 0 && form.z_for_utc) {
    return "Z";
  }
  // The sign is that of the whole minutes: half a minute west is still written "+00".
  const int64_t minutes = offset / kSecondsPerMinute;
  const int64_t magnitude = minutes < 0 ? -minutes : minutes;
  const std::string colon = form.colons ? ":" : "";
  std::string out = minutes < 0 ? "-" : "+";
  out += zero_padded(magnitude / 60, 2);
  if (form.minutes) {
    out += colon + zero_padded(magnitude % 60, 2);
  }
  if (form.seconds) {
    const int64_t seconds = (minutes < 0 ? -offset : offset) % kSecondsPerMinute;
    out += colon + zero_padded(seconds, 2);
  }
  return out;
}

std::string format_fraction(int32_t nanoseconds, const FractionForm& form) {
  if (form.trims_zeros && nanoseconds == 0) {
    return "";
  }
  std::string digits = zero_padded(nanoseconds, 9);
  digits.resize(std::min<size_t>(form.digits, 9));
  if (form.trims_zeros) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.empty()) {
      return "";
    }
  }
  return form.separator + digits;
}

std::string format_date_part(const Civil& civil, LayoutPart part) {
  switch (part) {
    case LayoutPart::kLongMonth:
      return std::string(month_name(civil.month));
    case LayoutPart::kMonth:
      return std::string(month_name(civil.month).substr(0, 3));
    case LayoutPart::kNumMonth:
      return std::to_string(civil.month);
    case LayoutPart::kZeroMonth:
      return zero_padded(civil.month, 2);
    case LayoutPart::kLongWeekDay:
      return std::string(weekday_name(civil.weekday));
    case LayoutPart::kWeekDay:
      return std::string(weekday_name(civil.weekday).substr(0, 3));
    case LayoutPart::kDay:
      return std::to_string(civil.day);
    case LayoutPart::kUnderDay:
      return padded(civil.day, 2, ' ');
    case LayoutPart::kZeroDay:
      return zero_padded(civil.day, 2);
    case LayoutPart::kUnderYearDay:
      return padded(civil.year_day, 3, ' ');
    case LayoutPart::kZeroYearDay:
      return zero_padded(civil.year_day, 3);
    case LayoutPart::kLongYear:
      return zero_padded(civil.year, 4);
    case LayoutPart::kYear:
      return zero_padded((civil.year < 0 ? -civil.year : civil.year) % 100, 2);
    default:
      return "";
  }
}

std::string format_clock_part(const Civil& civil, LayoutPart part) {
  const int hour12 = civil.hour % 12 == 0 ? 12 : civil.hour % 12;
  switch (part) {
    case LayoutPart::kHour:
      return zero_padded(civil.hour, 2);
    case LayoutPart::kHour12:
      return std::to_string(hour12);
    case LayoutPart::kZeroHour12:
      return zero_padded(hour12, 2);
    case LayoutPart::kMinute:
      return std::to_string(civil.minute);
    case LayoutPart::kZeroMinute:
      return zero_padded(civil.minute, 2);
    case LayoutPart::kSecond:
      return std::to_string(civil.second);
    case LayoutPart::kZeroSecond:
      return zero_padded(civil.second, 2);
    case LayoutPart::kUpperPm:
      return civil.hour >= 12 ? "PM" : "AM";
    case LayoutPart::kLowerPm:
      return civil.hour >= 12 ? "pm" : "am";
    default:
      return format_date_part(civil, part);
  }
}

}  // namespace

std::string_view month_name(int month) {
  constexpr std::string_view kNames[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
  return kNames[month - 1];
}

std::string_view weekday_name(int weekday) {
  constexpr std::string_view kNames[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};
  return kNames[weekday];
}

Time Time::from_wall(base::WallTime wall) {
  const int64_t total = wall.time_since_epoch().count();
  Time out;
  out.seconds = floor_div(total, kNanosecondsPerSecond);
  out.nanoseconds = static_cast<int32_t>(total - out.seconds * kNanosecondsPerSecond);
  out.zone = TimeZone::local();
  return out;
}

Time Time::from_civil(const Civil& civil, int32_t nanoseconds, const TimeZone::Ptr& zone) {
  Time out;
  out.seconds = days_since_epoch(civil.year, civil.month, civil.day) * kSecondsPerDay +
                civil.hour * kSecondsPerHour + civil.minute * kSecondsPerMinute + civil.second;
  out.nanoseconds = nanoseconds;
  out.zone = zone;
  // Look up the offset as if local time were UTC; near a transition it may be the wrong one.
  const ZonePeriod guess = zone->lookup(out.seconds);
  if (guess.offset != 0) {
    const int64_t utc = out.seconds - guess.offset;
    const bool right = utc >= guess.start && utc < guess.end;
    out.seconds -= right ? guess.offset : zone->lookup(utc).offset;
  }
  return out;
}

Civil Time::civil() const {
  return civil_from_seconds(shifted(seconds, zone->lookup(seconds).offset));
}

Time Time::in(TimeZone::Ptr other) const {
  Time out = *this;
  out.zone = std::move(other);
  return out;
}

Time Time::plus(base::Duration duration) const {
  const int64_t total = duration.count();
  int64_t whole = floor_div(total, kNanosecondsPerSecond);
  int64_t rest = nanoseconds + (total - whole * kNanosecondsPerSecond);
  if (rest >= kNanosecondsPerSecond) {
    rest -= kNanosecondsPerSecond;
    ++whole;
  }
  Time out = *this;
  out.seconds = shifted(seconds, whole);
  out.nanoseconds = static_cast<int32_t>(rest);
  return out;
}

double count_in(base::Duration duration, int64_t nanoseconds) {
  const int64_t whole = duration.count() / nanoseconds;
  const int64_t rest = duration.count() % nanoseconds;
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(nanoseconds);
}

base::Duration Time::minus(const Time& other) const {
  int64_t out = 0;
  if (__builtin_sub_overflow(seconds, other.seconds, &out) ||
      __builtin_mul_overflow(out, kNanosecondsPerSecond, &out) ||
      __builtin_add_overflow(out, int64_t{nanoseconds - other.nanoseconds}, &out)) {
    return compare(other) < 0 ? base::Duration::min() : base::Duration::max();
  }
  return base::Duration(out);
}

int Time::compare(const Time& other) const {
  if (seconds != other.seconds) {
    return seconds < other.seconds ? -1 : 1;
  }
  if (nanoseconds != other.nanoseconds) {
    return nanoseconds < other.nanoseconds ? -1 : 1;
  }
  return 0;
}

std::string format_time(const Time& time, std::string_view layout) {
  const ZonePeriod period = time.zone->lookup(time.seconds);
  const Civil civil = civil_from_seconds(shifted(time.seconds, period.offset));
  std::string out;
  while (true) {
    const LayoutChunk chunk = next_chunk(layout);
    out += chunk.literal;
    if (chunk.part == LayoutPart::kNone) {
      return out;
    }
    if (chunk.part == LayoutPart::kOffset) {
      out += format_offset(period.offset, chunk.offset);
    } else if (chunk.part == LayoutPart::kFraction) {
      out += format_fraction(time.nanoseconds, chunk.fraction);
    } else if (chunk.part == LayoutPart::kZoneName) {
      out += period.name.empty() ? format_offset(period.offset, OffsetForm()) : period.name;
    } else {
      out += format_clock_part(civil, chunk.part);
    }
  }
}

std::string to_string(const Time& time) {
  return format_time(time, "2006-01-02 15:04:05.999999999 -0700 MST");
}

}  // namespace chartwright::go
