// SPDX-License-Identifier: Apache-2.0
// Formats and parses WallTime as RFC 3339, as metav1.Time and metav1.MicroTime do.
#include <array>
#include <cstdio>
#include <optional>

#include "base/ascii.h"
#include "base/clock.h"

namespace chartwright::base {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

struct CivilTime {
  int year, month, day, hour, minute, second;
  nanoseconds fraction;
};

CivilTime to_civil(WallTime time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<nanoseconds> clock(time - day);
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count()),
          clock.subseconds()};
}

// Reads fields from the front of a text. After the first mismatch everything fails.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

  void literal(char c) {
    ok_ = ok_ && rest_.starts_with(c);
    if (ok_) {
      rest_.remove_prefix(1);
    }
  }

  // Reads exactly `digits` decimal digits whose value is within [min, max].
  int number(size_t digits, int min, int max) {
    int value = 0;
    for (size_t i = 0; i < digits && ok_; ++i) {
      value = value * 10 + digit();
    }
    ok_ = ok_ && value >= min && value <= max;
    return value;
  }

  // Reads a fraction such as ".5": at least one digit. Drops digits after the ninth, as Go does.
  nanoseconds fraction() {
    if (!ok_ || !rest_.starts_with('.')) {
      return nanoseconds(0);
    }
    rest_.remove_prefix(1);
    int64_t unit = 100'000'000;
    int64_t value = int64_t{digit()} * unit;
    while (ok_ && !rest_.empty() && is_ascii_digit(rest_[0])) {
      unit /= 10;
      value += int64_t{digit()} * unit;
    }
    return nanoseconds(value);
  }

  // Reads "Z", "+hh:mm" or "-hh:mm".
  minutes offset() {
    if (!ok_ || rest_.empty()) {
      ok_ = false;
      return minutes(0);
    }
    const char sign = rest_[0];
    rest_.remove_prefix(1);
    if (sign == 'Z') {
      return minutes(0);
    }
    ok_ = sign == '+' || sign == '-';
    const minutes whole = hours(number(2, 0, 23));
    literal(':');
    const minutes distance = whole + minutes(number(2, 0, 59));
    return sign == '-' ? -distance : distance;
  }

 private:
  int digit() {
    ok_ = ok_ && !rest_.empty() && is_ascii_digit(rest_[0]);
    if (!ok_) {
      return 0;
    }
    const int value = rest_[0] - '0';
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

std::optional<WallTime> scan_rfc3339(std::string_view text) {
  Scanner scan(text);
  const int year = scan.number(4, 0, 9999);
  scan.literal('-');
  const int month = scan.number(2, 1, 12);
  scan.literal('-');
  const int day = scan.number(2, 1, 31);
  scan.literal('T');
  const int hour = scan.number(2, 0, 23);
  scan.literal(':');
  const int minute = scan.number(2, 0, 59);
  scan.literal(':');
  const int second = scan.number(2, 0, 59);
  const nanoseconds fraction = scan.fraction();
  const minutes offset = scan.offset();
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!scan.ok() || !scan.rest().empty() || !date.ok()) {
    return std::nullopt;
  }
  const std::chrono::sys_seconds whole =
      std::chrono::sys_days(date) + hours(hour) + minutes(minute) + seconds(second) - offset;
  // WallTime counts nanoseconds in 64 bits, which cover the years 1677 to 2262. One second of
  // margin leaves room for the fraction.
  const auto first = std::chrono::ceil<seconds>(WallTime::min()) + seconds(1);
  const auto last = std::chrono::floor<seconds>(WallTime::max()) - seconds(1);
  if (whole < first || whole > last) {
    return std::nullopt;
  }
  return WallTime(whole) + fraction;
}

}  // namespace

std::string format_rfc3339(WallTime time) {
  const CivilTime t = to_civil(time);
  std::array<char, 80> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", t.year, t.month,
                t.day, t.hour, t.minute, t.second);
  return buffer.data();
}

std::string format_rfc3339_micro(WallTime time) {
  const CivilTime t = to_civil(time);
  const auto micros = std::chrono::duration_cast<microseconds>(t.fraction).count();
  std::array<char, 96> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", t.year,
                t.month, t.day, t.hour, t.minute, t.second, static_cast<int>(micros));
  return buffer.data();
}

Result<WallTime> parse_rfc3339(std::string_view text) {
  const std::optional<WallTime> time = scan_rfc3339(text);
  if (!time) {
    constexpr size_t kShown = 64;
    return Error(ErrorCode::kParse, "invalid time \"" + std::string(text.substr(0, kShown)) +
                                        "\": want RFC 3339, such as 2026-01-02T15:04:05Z");
  }
  return *time;
}

}  // namespace chartwright::base
