// SPDX-License-Identifier: Apache-2.0
// Formats and parses WallTime as RFC 3339, as metav1.Time and metav1.MicroTime do, and durations in
// Go's syntax. Source: Go time/format.go ParseDuration, time/time.go Duration.String.
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/strings.h"

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

// The magnitude of the smallest Duration: one more than the largest positive one.
constexpr uint64_t kMaxMagnitude = uint64_t{1} << 63;

constexpr uint64_t kNanosPerMicro = 1'000;
constexpr uint64_t kNanosPerMilli = 1'000'000;
constexpr uint64_t kNanosPerSecond = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, uint64_t>, 8> kUnits = {{
    {"ns", 1},
    {"us", kNanosPerMicro},
    {"\u00b5s", kNanosPerMicro},  // U+00B5, the micro sign.
    {"\u03bcs", kNanosPerMicro},  // U+03BC, the Greek letter.
    {"ms", kNanosPerMilli},
    {"s", kNanosPerSecond},
    {"m", 60 * kNanosPerSecond},
    {"h", 3600 * kNanosPerSecond},
}};

Error invalid(std::string_view text) {
  return Error(ErrorCode::kParse, "time: invalid duration " + quote_bytes(text));
}

// Removes [0-9]* from the front of `rest`. Returns nullopt on overflow.
std::optional<uint64_t> leading_int(std::string_view& rest) {
  uint64_t number = 0;
  while (!rest.empty() && is_ascii_digit(rest[0])) {
    if (number > kMaxMagnitude / 10) {
      return std::nullopt;
    }
    number = number * 10 + static_cast<uint64_t>(rest[0] - '0');
    if (number > kMaxMagnitude) {
      return std::nullopt;
    }
    rest.remove_prefix(1);
  }
  return number;
}

struct Fraction {
  uint64_t digits = 0;
  double scale = 1;
};

// Removes [0-9]* from the front of `rest`. Drops digits beyond the precision of 64 bits.
Fraction leading_fraction(std::string_view& rest) {
  Fraction fraction;
  bool overflow = false;
  for (; !rest.empty() && is_ascii_digit(rest[0]); rest.remove_prefix(1)) {
    overflow = overflow || fraction.digits > (kMaxMagnitude - 1) / 10;
    if (overflow) {
      continue;
    }
    const uint64_t next = fraction.digits * 10 + static_cast<uint64_t>(rest[0] - '0');
    overflow = next > kMaxMagnitude;
    if (!overflow) {
      fraction.digits = next;
      fraction.scale *= 10;
    }
  }
  return fraction;
}

// Removes the unit's name, which ends at the next number, from the front of `rest`.
std::string_view leading_unit(std::string_view& rest) {
  size_t length = 0;
  while (length < rest.size() && rest[length] != '.' && !is_ascii_digit(rest[length])) {
    ++length;
  }
  const std::string_view unit = rest.substr(0, length);
  rest.remove_prefix(length);
  return unit;
}

// Removes one number with its unit ("1.5h") from the front of `rest`. Returns nanoseconds.
Result<uint64_t> leading_term(std::string_view text, std::string_view& rest) {
  const size_t before_number = rest.size();
  const std::optional<uint64_t> whole = leading_int(rest);
  if (!whole) {
    return invalid(text);
  }
  bool has_digits = rest.size() != before_number;
  Fraction fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const size_t before_fraction = rest.size();
    fraction = leading_fraction(rest);
    has_digits = has_digits || rest.size() != before_fraction;
  }
  if (!has_digits) {
    return invalid(text);
  }
  const std::string_view name = leading_unit(rest);
  if (name.empty()) {
    return Error(ErrorCode::kParse, "time: missing unit in duration " + quote_bytes(text));
  }
  for (const auto& [unit_name, unit] : kUnits) {
    if (unit_name != name) {
      continue;
    }
    if (*whole > kMaxMagnitude / unit) {
      return invalid(text);
    }
    // Uses double, as Go does, so that 0.100000000000000000000h rounds the same way.
    const double part =
        static_cast<double>(fraction.digits) * (static_cast<double>(unit) / fraction.scale);
    const uint64_t nanos = *whole * unit + static_cast<uint64_t>(part);
    return nanos > kMaxMagnitude ? Result<uint64_t>(invalid(text)) : Result<uint64_t>(nanos);
  }
  return Error(ErrorCode::kParse,
               "time: unknown unit " + quote_bytes(name) + " in duration " + quote_bytes(text));
}

// Formats `value` as a decimal fraction of `digits` digits without trailing zeros: 5, 3 -> ".005".
std::string fraction_text(uint64_t value, int digits) {
  std::string out = std::to_string(value);
  out.insert(0, static_cast<size_t>(digits) - out.size(), '0');
  out.erase(out.find_last_not_of('0') + 1);
  return out.empty() ? out : "." + out;
}

std::string below_second(uint64_t nanos) {
  if (nanos < kNanosPerMicro) {
    return std::to_string(nanos) + "ns";
  }
  if (nanos < kNanosPerMilli) {
    return std::to_string(nanos / kNanosPerMicro) + fraction_text(nanos % kNanosPerMicro, 3) +
           "\u00b5s";
  }
  return std::to_string(nanos / kNanosPerMilli) + fraction_text(nanos % kNanosPerMilli, 6) + "ms";
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

Result<Duration> parse_go_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") {
    return Duration(0);
  }
  if (rest.empty()) {
    return invalid(text);
  }
  uint64_t total = 0;
  while (!rest.empty()) {
    if (rest[0] != '.' && !is_ascii_digit(rest[0])) {
      return invalid(text);
    }
    CW_TRY(const uint64_t term, leading_term(text, rest));
    total += term;  // Two terms of 2^63 wrap around to zero, as in Go.
    if (total > kMaxMagnitude) {
      return invalid(text);
    }
  }
  if (negative) {
    // Negates in two's complement, because -2^63 has no positive counterpart.
    return Duration(static_cast<int64_t>(~total + 1));
  }
  if (total > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return invalid(text);
  }
  return Duration(static_cast<int64_t>(total));
}

std::string format_go_duration(Duration duration) {
  const int64_t count = duration.count();
  if (count == 0) {
    return "0s";
  }
  const std::string sign = count < 0 ? "-" : "";
  const uint64_t nanos =
      count < 0 ? ~static_cast<uint64_t>(count) + 1 : static_cast<uint64_t>(count);
  if (nanos < kNanosPerSecond) {
    return sign + below_second(nanos);
  }
  const uint64_t total_seconds = nanos / kNanosPerSecond;
  const uint64_t total_minutes = total_seconds / 60;
  const uint64_t hours = total_minutes / 60;
  std::string out = sign;
  if (hours > 0) {
    out += std::to_string(hours) + "h";
  }
  if (total_minutes > 0) {
    out += std::to_string(total_minutes % 60) + "m";
  }
  return out + std::to_string(total_seconds % 60) + fraction_text(nanos % kNanosPerSecond, 9) + "s";
}

}  // namespace chartwright::base
