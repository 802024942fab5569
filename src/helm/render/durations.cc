// SPDX-License-Identifier: Apache-2.0
#include "helm/render/durations.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/clock.h"
#include "base/strings.h"
#include "go/complex.h"
#include "go/format.h"
#include "go/quote.h"
#include "go/type_name.h"
#include "helm/funcs/cast.h"
#include "helm/funcs/go_value.h"
#include "helm/funcs/time_value.h"

namespace chartwright::helm {
namespace {

using base::Duration;
using base::Result;
using value::Value;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

Result<Duration> from_seconds(int64_t seconds) {
  if (seconds > kLargest / kSecond || seconds < kSmallest / kSecond) {
    return funcs::failure("duration seconds overflow: " + std::to_string(seconds));
  }
  return Duration(seconds * kSecond);
}

Result<Duration> from_seconds(double seconds) {
  const std::string shown = go::format_value(Value::number(seconds));
  if (!std::isfinite(seconds)) {
    return funcs::failure("invalid duration seconds: " + shown);
  }
  constexpr double kPerSecond = 1e9;
  constexpr double kBound = 0x1p63;
  if (seconds > kBound / kPerSecond || seconds < -kBound / kPerSecond) {
    return funcs::failure("duration seconds overflow: " + shown);
  }
  return Duration(funcs::truncate_to_int(seconds * kPerSecond));
}

Result<Duration> from_text(const std::string& text) {
  const std::string trimmed(base::trim(text));
  if (trimmed.empty()) {
    return funcs::failure("empty duration");
  }
  if (const auto duration = base::parse_go_duration(trimmed); duration.ok()) {
    return *duration;
  }
  if (const auto seconds = funcs::parse_float(trimmed)) {
    return from_seconds(*seconds);
  }
  return funcs::failure("could not parse duration " + go::quote(text));
}

/// Converts a duration, a duration string, or a number of seconds as number or string.
Result<Duration> to_duration(const Value& given) {
  if (const Duration* duration = funcs::as_duration(given)) {
    return *duration;
  }
  const Value v = go::opened_integer(given);
  switch (v.kind()) {
    case value::Kind::kNil:
    case value::Kind::kNoValue:
      return funcs::failure("invalid duration");
    case value::Kind::kString:
      return from_text(v.as_string());
    case value::Kind::kInt:
      if (v.int_type() == value::IntType::kUint64 && v.as_int() < 0) {
        return funcs::failure("duration seconds overflow: " +
                              std::to_string(static_cast<uint64_t>(v.as_int())));
      }
      return from_seconds(v.as_int());
    case value::Kind::kFloat:
      return from_seconds(v.as_float());
    default:
      return funcs::failure("unsupported duration type " + go::type_name(v));
  }
}

/// Returns 0 for values that cannot be converted.
Duration or_zero(const Value& v) { return to_duration(v).value_or(Duration(0)); }

Result<Value> must_to_duration(const Value& v) {
  CW_TRY(const Duration duration, to_duration(v));
  return funcs::make_duration(duration);
}

double seconds(const Value& v) { return go::count_in(or_zero(v), kSecond); }
double minutes(const Value& v) { return go::count_in(or_zero(v), 60 * kSecond); }
double hours(const Value& v) { return go::count_in(or_zero(v), 3600 * kSecond); }
double days(const Value& v) { return hours(v) / 24.0; }
double weeks(const Value& v) { return hours(v) / 24.0 / 7.0; }
int64_t milliseconds(const Value& v) { return or_zero(v).count() / 1'000'000; }
int64_t microseconds(const Value& v) { return or_zero(v).count() / 1'000; }
int64_t nanoseconds(const Value& v) { return or_zero(v).count(); }

/// Source: Go time.Duration.Truncate.
Duration truncated(Duration duration, Duration multiple) {
  return multiple.count() <= 0 ? duration
                               : Duration(duration.count() - duration.count() % multiple.count());
}

/// Rounds to a multiple, halves away from zero. An overflow gives the largest or smallest duration.
/// Source: Go time.Duration.Round.
Duration rounded(Duration duration, Duration multiple) {
  if (multiple.count() <= 0) {
    return duration;
  }
  const int64_t d = duration.count();
  const int64_t m = multiple.count();
  const int64_t rest = d % m;
  const auto distance = static_cast<uint64_t>(rest < 0 ? -rest : rest);
  int64_t near = d - rest;
  if (distance * 2 < static_cast<uint64_t>(m)) {
    return Duration(near);
  }
  if (d < 0) {
    return Duration(__builtin_sub_overflow(near, m, &near) ? kSmallest : near);
  }
  return Duration(__builtin_add_overflow(near, m, &near) ? kLargest : near);
}

/// Returns 0 if `v` is not a duration, and the duration unchanged if `multiple` is not one.
Value to_multiple(const Value& v, const Value& multiple, Duration (*fit)(Duration, Duration)) {
  const auto duration = to_duration(v);
  if (!duration.ok()) {
    return funcs::make_duration(Duration(0));
  }
  const auto unit = to_duration(multiple);
  return funcs::make_duration(unit.ok() ? fit(*duration, *unit) : *duration);
}

Value round_to(const Value& v, const Value& multiple) { return to_multiple(v, multiple, rounded); }
Value truncate_to(const Value& v, const Value& multiple) {
  return to_multiple(v, multiple, truncated);
}

}  // namespace

void add_durations(funcs::Table& table) {
  table.add("mustToDuration", must_to_duration)
      .add("durationNanoseconds", nanoseconds)
      .add("durationMicroseconds", microseconds)
      .add("durationMilliseconds", milliseconds)
      .add("durationSeconds", seconds)
      .add("durationMinutes", minutes)
      .add("durationHours", hours)
      .add("durationDays", days)
      .add("durationWeeks", weeks)
      .add("durationRoundTo", round_to)
      .add("durationTruncateTo", truncate_to);
}

}  // namespace chartwright::helm
