// SPDX-License-Identifier: Apache-2.0
#include "go/posix_zone.h"

#include <utility>

#include "base/ascii.h"
#include "go/civil.h"

namespace chartwright::go {
namespace {

// When daylight saving begins or ends within a year.
struct YearRule {
  enum class Kind : uint8_t { kJulian, kDayOfYear, kMonthWeekDay };
  Kind kind = Kind::kJulian;
  int day = 0;
  int week = 0;
  int month = 0;
  int64_t time = 2 * kSecondsPerHour;
};

// Reads a TZ string from left to right. Each method consumes its input and returns nullopt if that
// is malformed.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}
  bool done() const { return text_.empty(); }
  bool at(char c) const { return text_.starts_with(c); }
  bool take(char c) {
    const bool there = at(c);
    text_.remove_prefix(there ? 1 : 0);
    return there;
  }
  std::optional<std::string> name();
  std::optional<int> number(int least, int most);
  std::optional<int64_t> offset();
  std::optional<YearRule> rule();

 private:
  std::optional<YearRule> month_rule();
  std::string_view text_;
};

std::optional<std::string> RuleReader::name() {
  if (take('<')) {
    const size_t end = text_.find('>');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string quoted(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return quoted;
  }
  const size_t end = std::min(text_.find_first_of("0123456789,-+"), text_.size());
  if (end < 3) {
    return std::nullopt;
  }
  std::string plain(text_.substr(0, end));
  text_.remove_prefix(end);
  return plain;
}

std::optional<int> RuleReader::number(int least, int most) {
  int out = 0;
  size_t digits = 0;
  while (digits < text_.size() && base::is_ascii_digit(text_[digits])) {
    out = out * 10 + (text_[digits] - '0');
    if (out > most) {
      return std::nullopt;
    }
    ++digits;
  }
  if (digits == 0 || out < least) {
    return std::nullopt;
  }
  text_.remove_prefix(digits);
  return out;
}

// Reads [+-]hh[:mm[:ss]].
std::optional<int64_t> RuleReader::offset() {
  const bool negative = at('-');
  if (!take('+')) {
    take('-');
  }
  int64_t out = 0;
  int64_t unit = kSecondsPerHour;
  int most = 24 * 7;
  do {
    const std::optional<int> part = number(0, most);
    if (!part) {
      return std::nullopt;
    }
    out += *part * unit;
    unit /= 60;
    most = 59;
  } while (unit > 0 && take(':'));
  return negative ? -out : out;
}

// Reads Mm.w.d after its M.
std::optional<YearRule> RuleReader::month_rule() {
  const std::optional<int> month = number(1, 12);
  if (!month || !take('.')) {
    return std::nullopt;
  }
  const std::optional<int> week = number(1, 5);
  if (!week || !take('.')) {
    return std::nullopt;
  }
  const std::optional<int> day = number(0, 6);
  if (!day) {
    return std::nullopt;
  }
  return YearRule{YearRule::Kind::kMonthWeekDay, *day, *week, *month};
}

// Reads Jn, n or Mm.w.d, then an optional /time.
std::optional<YearRule> RuleReader::rule() {
  std::optional<YearRule> out;
  if (take('M')) {
    out = month_rule();
  } else {
    const bool julian = take('J');
    if (const std::optional<int> day = julian ? number(1, 365) : number(0, 365)) {
      out = YearRule{julian ? YearRule::Kind::kJulian : YearRule::Kind::kDayOfYear, *day};
    }
  }
  if (out && take('/')) {
    const std::optional<int64_t> time = offset();
    if (!time) {
      return std::nullopt;
    }
    out->time = *time;
  }
  return out;
}

// Returns the number of days from the start of the year to the day of the rule.
int64_t rule_day(const YearRule& rule, int64_t year) {
  if (rule.kind == YearRule::Kind::kDayOfYear) {
    return rule.day;
  }
  if (rule.kind == YearRule::Kind::kJulian) {
    return rule.day - 1 + (is_leap_year(year) && rule.day >= 60 ? 1 : 0);
  }
  const int64_t first = days_since_epoch(year, rule.month, 1);
  const int64_t weekday_of_first = civil_from_seconds(first * kSecondsPerDay).weekday;
  int64_t day = (rule.day - weekday_of_first + 7) % 7;
  for (int week = 1; week < rule.week && day + 7 < days_in_month(rule.month, year); ++week) {
    day += 7;
  }
  return first + day - days_since_epoch(year, 1, 1);
}

// The name and offset for one part of the year.
struct Side {
  std::string name;
  int64_t offset = 0;
};

// `sides.first` applies at both ends of the year, `sides.second` between the two instants.
ZonePeriod period_in_year(int64_t seconds, int64_t year_start, std::pair<int64_t, int64_t> between,
                          const std::pair<Side, Side>& sides) {
  const int64_t in_year = seconds - year_start;
  const auto& [outer, inner] = sides;
  if (in_year < between.first) {
    return {outer.name, outer.offset, year_start, year_start + between.first};
  }
  if (in_year >= between.second) {
    return {outer.name, outer.offset, year_start + between.second,
            year_start + 365 * kSecondsPerDay};
  }
  return {inner.name, inner.offset, year_start + between.first, year_start + between.second};
}

}  // namespace

std::optional<ZonePeriod> apply_posix_rule(std::string_view rule, int64_t since, int64_t seconds) {
  RuleReader reader(rule);
  const std::optional<std::string> standard_name = reader.name();
  const std::optional<int64_t> standard = standard_name ? reader.offset() : std::nullopt;
  if (!standard) {
    return std::nullopt;
  }
  // A TZ string counts offsets west of UTC.
  Side outer{*standard_name, -*standard};
  if (reader.done() || reader.at(',')) {
    return ZonePeriod{outer.name, outer.offset, since, INT64_MAX};
  }
  const std::optional<std::string> saving_name = reader.name();
  if (!saving_name) {
    return std::nullopt;
  }
  Side inner{*saving_name, outer.offset + kSecondsPerHour};
  if (!reader.done() && !reader.at(',')) {
    const std::optional<int64_t> saving = reader.offset();
    if (!saving) {
      return std::nullopt;
    }
    inner.offset = -*saving;
  }
  if (reader.done()) {
    reader = RuleReader(",M3.2.0,M11.1.0");
  }
  const bool separated = reader.take(',') || reader.take(';');
  const std::optional<YearRule> begin = separated ? reader.rule() : std::nullopt;
  const std::optional<YearRule> end = begin && reader.take(',') ? reader.rule() : std::nullopt;
  if (!end || !reader.done()) {
    return std::nullopt;
  }
  const int64_t year = civil_from_seconds(seconds).year;
  const int64_t year_start = days_since_epoch(year, 1, 1) * kSecondsPerDay;
  int64_t from = rule_day(*begin, year) * kSecondsPerDay + begin->time - outer.offset;
  int64_t to = rule_day(*end, year) * kSecondsPerDay + end->time - inner.offset;
  if (to < from) {  // South of the equator, summer is at both ends of the year.
    std::swap(from, to);
    std::swap(outer, inner);
  }
  return period_in_year(seconds, year_start, {from, to}, {outer, inner});
}

}  // namespace chartwright::go
