// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/time_value.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "go/quote.h"
#include "helm/funcs/go_value.h"

// Source: Go time.go: the methods with one result.
namespace chartwright::helm::funcs {
namespace {

using value::IntType;

template <typename Self>
struct Method {
  std::string_view name;
  int arity;
  Result<Value> (*call)(const Self&, Args);
};

// A Go value of a named type with a table of methods and no fields.
template <typename Self, size_t kCount>
class MethodNative : public value::Native {
 public:
  MethodNative(Self self, const Method<Self> (&methods)[kCount])
      : self_(std::move(self)), methods_(methods) {}
  const Self& self() const { return self_; }

  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  int method_arity(std::string_view name) const override {
    const Method<Self>* method = find(name);
    return method != nullptr ? method->arity : -1;
  }
  Result<Value> call(std::string_view name, Args args) const override {
    const Method<Self>* method = find(name);
    return method != nullptr ? method->call(self_, args) : Native::call(name, args);
  }

 private:
  const Method<Self>* find(std::string_view name) const {
    for (const Method<Self>& method : methods_) {
      if (method.name == name) {
        return &method;
      }
    }
    return nullptr;
  }
  Self self_;
  const Method<Self> (&methods_)[kCount];
};

Value make_int(int64_t i) { return Value::integer(i, IntType::kInt); }

// A named integer type with names for some values: time.Month or time.Weekday.
struct NumberType {
  std::string_view go_type;
  int first;
  int last;
  std::string_view (*name)(int number);
};

constexpr NumberType kMonth = {"time.Month", 1, 12, go::month_name};
constexpr NumberType kWeekday = {"time.Weekday", 0, 6, go::weekday_name};

class NamedNumber final : public value::Native {
 public:
  NamedNumber(const NumberType& type, int number) : type_(type), number_(number) {}
  int number() const { return number_; }
  std::string_view go_type() const override { return type_.go_type; }
  std::string_view go_kind() const override { return "int"; }
  bool truth() const override { return number_ != 0; }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  int method_arity(std::string_view name) const override { return name == "String" ? 0 : -1; }
  Result<Value> call(std::string_view /*name*/, Args /*args*/) const override {
    return Value::string(to_string());
  }
  std::string to_string() const override {
    if (number_ >= type_.first && number_ <= type_.last) {
      return std::string(type_.name(number_));
    }
    const std::string_view name = type_.go_type.substr(type_.go_type.find('.') + 1);
    return "%!" + std::string(name) + "(" + std::to_string(number_) + ")";
  }
  bool is_stringer() const override { return true; }
  Result<Value> to_json_value() const override { return make_int(number_); }
  std::shared_ptr<const Native> with_number(int64_t number) const override {
    return std::make_shared<const NamedNumber>(type_, static_cast<int>(number));
  }

 private:
  const NumberType& type_;
  int number_;
};

Value make_named(const NumberType& type, int number) {
  return Value::native(std::make_shared<const NamedNumber>(type, number));
}

// The *time.Location of a UTC time.
class NilLocation final : public value::Native {
 public:
  std::string_view go_type() const override { return "*time.Location"; }
  std::string_view go_kind() const override { return "ptr"; }
  bool truth() const override { return false; }
  bool is_nil_pointer() const override { return true; }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  std::string to_string() const override { return "<nil>"; }
  Result<Value> to_json_value() const override { return Value::nil(); }
};

base::Error wrong_argument(std::string_view expected, const Value& actual) {
  return failure(
      "wrong type for value; expected " + std::string(expected) + "; got " +
      std::string(actual.is_native() ? actual.as_native().go_type() : kind_name(actual)));
}

// Checks an argument of a method; constants are passed as int or string.
Result<int64_t> int_argument(const Value& v) {
  if (!v.is_int()) {
    return wrong_argument("int", v);
  }
  return v.as_int();
}

Result<base::Duration> duration_argument(const Value& v) {
  if (const base::Duration* duration = as_duration(v)) {
    return *duration;
  }
  CW_TRY(const int64_t nanoseconds, int_argument(v));
  return base::Duration(nanoseconds);
}

Result<Value> compared(const go::Time& time, Args args, bool (*holds)(int)) {
  const go::Time* other = as_time(args[0]);
  if (other == nullptr) {
    return wrong_argument("time.Time", args[0]);
  }
  return Value::boolean(holds(time.compare(*other)));
}

Result<Value> add(const go::Time& time, Args args) {
  CW_TRY(const base::Duration duration, duration_argument(args[0]));
  return make_time(time.plus(duration));
}

// Like Go, normalises months and days out of range.
Result<Value> add_date(const go::Time& time, Args args) {
  CW_TRY(const int64_t years, int_argument(args[0]));
  CW_TRY(const int64_t months, int_argument(args[1]));
  CW_TRY(const int64_t days, int_argument(args[2]));
  constexpr int64_t kBound = 1'000'000'000;
  for (int64_t number : {years, months, days}) {
    if (number > kBound || number < -kBound) {
      return failure("date out of range");
    }
  }
  go::Civil civil = time.civil();
  const int64_t month = civil.month - 1 + months;
  civil.year += years + go::floor_div(month, 12);
  civil.month = static_cast<int>(month - 12 * go::floor_div(month, 12)) + 1;
  const int64_t day = go::days_since_epoch(civil.year, civil.month, civil.day + days);
  const go::Civil date = go::civil_from_seconds(day * go::kSecondsPerDay);
  civil.year = date.year;
  civil.month = date.month;
  civil.day = date.day;
  return make_time(go::Time::from_civil(civil, time.nanoseconds, time.zone));
}

Result<Value> subtract(const go::Time& time, Args args) {
  const go::Time* other = as_time(args[0]);
  if (other == nullptr) {
    return wrong_argument("time.Time", args[0]);
  }
  return make_duration(time.minus(*other));
}

Result<Value> format(const go::Time& time, Args args) {
  if (!args[0].is_string()) {
    return wrong_argument("string", args[0]);
  }
  return Value::string(go::format_time(time, args[0].as_string()));
}

Result<Value> unix_in(const go::Time& time, int64_t per_second) {
  const int64_t fraction = time.nanoseconds / (1'000'000'000 / per_second);
  const uint64_t whole = static_cast<uint64_t>(time.seconds) * static_cast<uint64_t>(per_second);
  return Value::integer(static_cast<int64_t>(whole + static_cast<uint64_t>(fraction)));
}

bool is_zero(const go::Time& time) {
  return time.seconds == go::kZeroTimeSeconds && time.nanoseconds == 0;
}

std::string rfc3339(const go::Time& time) {
  return go::format_time(time, "2006-01-02T15:04:05.999999999Z07:00");
}

// Source: Go time.Time.GoString.
std::string go_string(const go::Time& time) {
  const go::Civil civil = time.civil();
  const std::string& zone = time.zone->name();
  std::string text = "time.Date(" + std::to_string(civil.year) + ", time." +
                     std::string(go::month_name(civil.month));
  for (const int part :
       {civil.day, civil.hour, civil.minute, civil.second, static_cast<int>(time.nanoseconds)}) {
    text += ", " + std::to_string(part);
  }
  const bool known = time.zone == go::TimeZone::utc() || time.zone == go::TimeZone::local();
  return text + ", time." + (known ? zone : "Location(" + go::quote(zone) + ")") + ")";
}

constexpr Method<go::Time> kTimeMethods[] = {
    {"Year", 0, [](const go::Time& t, Args) -> Result<Value> { return make_int(t.civil().year); }},
    {"Month", 0,
     [](const go::Time& t, Args) -> Result<Value> { return make_named(kMonth, t.civil().month); }},
    {"Day", 0, [](const go::Time& t, Args) -> Result<Value> { return make_int(t.civil().day); }},
    {"Hour", 0, [](const go::Time& t, Args) -> Result<Value> { return make_int(t.civil().hour); }},
    {"Minute", 0,
     [](const go::Time& t, Args) -> Result<Value> { return make_int(t.civil().minute); }},
    {"Second", 0,
     [](const go::Time& t, Args) -> Result<Value> { return make_int(t.civil().second); }},
    {"Nanosecond", 0,
     [](const go::Time& t, Args) -> Result<Value> { return make_int(t.nanoseconds); }},
    {"YearDay", 0,
     [](const go::Time& t, Args) -> Result<Value> { return make_int(t.civil().year_day); }},
    {"Weekday", 0,
     [](const go::Time& t, Args) -> Result<Value> {
       return make_named(kWeekday, t.civil().weekday);
     }},
    {"Unix", 0, [](const go::Time& t, Args) { return unix_in(t, 1); }},
    {"UnixMilli", 0, [](const go::Time& t, Args) { return unix_in(t, 1'000); }},
    {"UnixMicro", 0, [](const go::Time& t, Args) { return unix_in(t, 1'000'000); }},
    {"UnixNano", 0, [](const go::Time& t, Args) { return unix_in(t, 1'000'000'000); }},
    {"UTC", 0,
     [](const go::Time& t, Args) -> Result<Value> { return make_time(t.in(go::TimeZone::utc())); }},
    {"Local", 0,
     [](const go::Time& t, Args) -> Result<Value> {
       return make_time(t.in(go::TimeZone::local()));
     }},
    {"IsZero", 0,
     [](const go::Time& t, Args) -> Result<Value> { return Value::boolean(is_zero(t)); }},
    {"String", 0,
     [](const go::Time& t, Args) -> Result<Value> { return Value::string(to_string(t)); }},
    {"Format", 1, format},
    {"Add", 1, add},
    {"AddDate", 3, add_date},
    {"Sub", 1, subtract},
    {"After", 1,
     [](const go::Time& t, Args a) { return compared(t, a, [](int o) { return o > 0; }); }},
    {"Before", 1,
     [](const go::Time& t, Args a) { return compared(t, a, [](int o) { return o < 0; }); }},
    {"Equal", 1,
     [](const go::Time& t, Args a) { return compared(t, a, [](int o) { return o == 0; }); }},
};

class TimeNative final : public MethodNative<go::Time, std::size(kTimeMethods)> {
 public:
  explicit TimeNative(go::Time time) : MethodNative(std::move(time), kTimeMethods) {}
  std::string_view go_type() const override { return "time.Time"; }
  std::string_view go_kind() const override { return "struct"; }
  std::string to_string() const override { return go::to_string(self()); }
  bool is_stringer() const override { return true; }
  std::optional<std::string> go_string() const override { return funcs::go_string(self()); }
  /// Returns members only in UTC: any other zone is a pointer, of which Go prints the address.
  std::vector<Member> members() const override {
    if (self().zone != go::TimeZone::utc()) {
      return {};
    }
    return {{"wall", Value::integer(self().nanoseconds, IntType::kUint64)},
            {"ext", Value::integer(self().seconds - go::kZeroTimeSeconds)},
            {"loc", Value::native(std::make_shared<const NilLocation>())}};
  }
  Result<Value> to_json_value() const override {
    if (const int64_t year = self().civil().year; year < 0 || year > 9999) {
      return base::Error(base::ErrorCode::kInvalidArgument,
                         "json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: "
                         "year outside of range [0,9999]");
    }
    return Value::string(rfc3339(self()));
  }
};

using base::Duration;
constexpr int64_t kSecond = 1'000'000'000;

constexpr Method<Duration> kDurationMethods[] = {
    {"Hours", 0,
     [](const Duration& d, Args) -> Result<Value> {
       return Value::number(go::count_in(d, 3600 * kSecond));
     }},
    {"Minutes", 0,
     [](const Duration& d, Args) -> Result<Value> {
       return Value::number(go::count_in(d, 60 * kSecond));
     }},
    {"Seconds", 0,
     [](const Duration& d, Args) -> Result<Value> {
       return Value::number(go::count_in(d, kSecond));
     }},
    {"Milliseconds", 0,
     [](const Duration& d, Args) -> Result<Value> {
       return Value::integer(d.count() / 1'000'000);
     }},
    {"Microseconds", 0,
     [](const Duration& d, Args) -> Result<Value> { return Value::integer(d.count() / 1'000); }},
    {"Nanoseconds", 0,
     [](const Duration& d, Args) -> Result<Value> { return Value::integer(d.count()); }},
    {"String", 0,
     [](const Duration& d, Args) -> Result<Value> {
       return Value::string(base::format_go_duration(d));
     }},
};

class DurationNative final : public MethodNative<Duration, std::size(kDurationMethods)> {
 public:
  explicit DurationNative(Duration duration) : MethodNative(duration, kDurationMethods) {}
  std::string_view go_type() const override { return "time.Duration"; }
  std::string_view go_kind() const override { return "int64"; }
  bool truth() const override { return self().count() != 0; }
  std::string to_string() const override { return base::format_go_duration(self()); }
  bool is_stringer() const override { return true; }
  Result<Value> to_json_value() const override { return Value::integer(self().count()); }
  std::shared_ptr<const Native> with_number(int64_t number) const override {
    return std::make_shared<const DurationNative>(Duration(number));
  }
};

template <typename NativeType>
const NativeType* as_native(const Value& v) {
  return v.is_native() ? dynamic_cast<const NativeType*>(&v.as_native()) : nullptr;
}

}  // namespace

Value make_time(go::Time time) {
  return Value::native(std::make_shared<const TimeNative>(std::move(time)));
}

const go::Time* as_time(const Value& v) {
  const auto* native = as_native<TimeNative>(v);
  return native != nullptr ? &native->self() : nullptr;
}

Value make_duration(base::Duration duration) {
  return Value::native(std::make_shared<const DurationNative>(duration));
}

const base::Duration* as_duration(const Value& v) {
  const auto* native = as_native<DurationNative>(v);
  return native != nullptr ? &native->self() : nullptr;
}

std::optional<int64_t> as_named_number(const Value& v) {
  const auto* native = as_native<NamedNumber>(v);
  return native != nullptr ? std::optional<int64_t>(native->number()) : std::nullopt;
}

}  // namespace chartwright::helm::funcs
