// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "base/clock.h"
#include "go/time.h"
#include "helm/funcs/cast.h"
#include "helm/funcs/families.h"
#include "helm/funcs/time_value.h"

// Source: Masterminds/sprig v3.3.0 date.go.
namespace chartwright::helm::funcs {

/// A parameter of type time.Time.
template <>
struct Parameter<const go::Time&> {
  static constexpr tmpl::Param kParam = tmpl::Param::kTime;
  static const go::Time& read(const Value& v) {
    const go::Time* time = as_time(v);
    CW_CHECK(time != nullptr);  // The executor accepts no other type.
    return *time;
  }
};

namespace {

go::Time current_time(CallContext& ctx) { return go::Time::from_wall(ctx.host.now()); }

// Converts a time or an integer number of seconds since the epoch. Returns the current time for any
// other value, floats included.
go::Time to_time(CallContext& ctx, const Value& v) {
  if (const go::Time* time = as_time(v)) {
    return *time;
  }
  const bool counts = v.is_int() && (v.int_type() == value::IntType::kInt64 ||
                                     v.int_type() == value::IntType::kInt ||
                                     v.int_type() == value::IntType::kInt32);
  return counts ? go::Time{v.as_int(), 0, go::TimeZone::local()} : current_time(ctx);
}

// Charges for a zone or a layout, whose processing is far more work than an ordinary step.
base::Status charge_layout(CallContext& ctx, std::string_view layout) {
  return ctx.budget.charge_steps(100 + layout.size());
}

Result<std::string> date_in_zone(CallContext& ctx, std::string_view layout, const Value& date,
                                 std::string_view zone_name) {
  CW_TRY_VOID(charge_layout(ctx, layout));
  go::TimeZone::Ptr zone = go::TimeZone::load(std::string(zone_name));
  if (zone == nullptr) {
    zone = go::TimeZone::utc();
  }
  std::string text = go::format_time(to_time(ctx, date).in(zone), layout);
  CW_TRY_VOID(ctx.budget.charge_alloc(text.size()));
  return text;
}

constexpr std::string_view kHtmlLayout = "2006-01-02";

Result<std::string> date(CallContext& ctx, std::string_view layout, const Value& when) {
  return date_in_zone(ctx, layout, when, "Local");
}

Result<std::string> html_date(CallContext& ctx, const Value& when) {
  return date_in_zone(ctx, kHtmlLayout, when, "Local");
}

Result<std::string> html_date_in_zone(CallContext& ctx, const Value& when, std::string_view zone) {
  return date_in_zone(ctx, kHtmlLayout, when, zone);
}

Result<Value> must_date_modify(std::string_view duration, const go::Time& time) {
  CW_TRY(const base::Duration parsed, base::parse_go_duration(duration));
  return make_time(time.plus(parsed));
}

Value date_modify(std::string_view duration, const go::Time& time) {
  return must_date_modify(duration, time).value_or(make_time(time));
}

Value now(CallContext& ctx) { return make_time(current_time(ctx)); }

base::Duration since(CallContext& ctx, const go::Time& time) {
  return current_time(ctx).minus(time);
}

// Rounds to the nearest second, halves away from zero. Source: Go Duration.Round.
base::Duration round_to_seconds(base::Duration duration) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t rest = duration.count() % kSecond;
  int64_t whole = duration.count() - rest;
  if (rest >= kSecond / 2 && __builtin_add_overflow(whole, kSecond, &whole)) {
    return base::Duration::max();
  }
  if (rest <= -kSecond / 2 && __builtin_sub_overflow(whole, kSecond, &whole)) {
    return base::Duration::min();
  }
  return base::Duration(whole);
}

std::string ago(CallContext& ctx, const Value& when) {
  const go::Time time = when.is_int() && when.int_type() == value::IntType::kInt32
                            ? current_time(ctx)
                            : to_time(ctx, when);
  return base::format_go_duration(round_to_seconds(since(ctx, time)));
}

// Accepts a string of digits or an int64 as seconds; any other value counts as 0, even an int.
std::string duration(const Value& seconds) {
  int64_t count = 0;
  if (seconds.is_string()) {
    count = parse_int(seconds.as_string(), 10).value;
  } else if (seconds.is_int() && seconds.int_type() == value::IntType::kInt64) {
    count = seconds.as_int();
  }
  const uint64_t nanoseconds = static_cast<uint64_t>(count) * 1'000'000'000U;
  return base::format_go_duration(base::Duration(static_cast<int64_t>(nanoseconds)));
}

base::Duration to_duration(CallContext& ctx, const Value& v) {
  if (v.is_string()) {
    return base::parse_go_duration(v.as_string()).value_or(base::Duration(0));
  }
  if (v.is_int() && v.int_type() == value::IntType::kInt64) {
    return base::Duration(v.as_int());
  }
  const go::Time* time = as_time(v);
  return time != nullptr ? since(ctx, *time) : base::Duration(0);
}

// Returns the duration in the largest unit of which it contains more than one, dropping the rest:
// one hour is "60m".
std::string duration_round(CallContext& ctx, const Value& v) {
  struct Unit {
    std::string_view name;
    uint64_t seconds;
  };
  constexpr Unit kUnits[] = {{"y", 31536000}, {"mo", 2592000}, {"d", 86400},
                             {"h", 3600},     {"m", 60},       {"s", 1}};
  const int64_t count = to_duration(ctx, v).count();
  const uint64_t magnitude =
      count < 0 ? 0 - static_cast<uint64_t>(count) : static_cast<uint64_t>(count);
  for (const Unit& unit : kUnits) {
    const uint64_t nanoseconds = unit.seconds * 1'000'000'000U;
    if (magnitude > nanoseconds) {
      return std::to_string(magnitude / nanoseconds) + std::string(unit.name);
    }
  }
  return "0s";
}

Result<Value> must_to_date(CallContext& ctx, std::string_view layout, std::string_view text) {
  CW_TRY_VOID(charge_layout(ctx, layout));
  CW_TRY(go::Time time, go::parse_time(layout, text));
  return make_time(std::move(time));
}

Result<Value> to_date(CallContext& ctx, std::string_view layout, std::string_view text) {
  Result<Value> date = must_to_date(ctx, layout, text);
  const bool unread = !date.ok() && date.error().code() != base::ErrorCode::kBudget;
  return unread ? make_time(go::Time()) : std::move(date);
}

std::string unix_epoch(const go::Time& time) { return std::to_string(time.seconds); }

}  // namespace

void add_dates(Table& table) {
  table.add("now", now).deviates("has no monotonic reading, which Go prints as m=+0.012");
  table.add("date", date);
  table.add("dateInZone", date_in_zone).alias("date_in_zone");
  table.add("htmlDate", html_date);
  table.add("htmlDateInZone", html_date_in_zone);
  table.add("dateModify", date_modify).alias("date_modify");
  table.add("mustDateModify", must_date_modify).alias("must_date_modify");
  table.add("ago", ago);
  table.add("duration", duration);
  table.add("durationRound", duration_round);
  table.add("toDate", to_date);
  table.add("mustToDate", must_to_date);
  table.add("unixEpoch", unix_epoch);
}

}  // namespace chartwright::helm::funcs
