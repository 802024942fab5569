// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/time.h"
#include "go/time_layout.h"

namespace chartwright::go {
namespace {

bool is_digit(std::string_view text, size_t at) {
  return at < text.size() && base::is_ascii_digit(text[at]);
}

// Parses a string by a layout. The members hold the values read so far.
class TimeReader {
 public:
  TimeReader(std::string_view layout, std::string_view text, TimeZone::Ptr zone)
      : layout_(layout),
        text_(text),
        whole_layout_(layout),
        whole_text_(text),
        zone_(std::move(zone)) {}
  base::Result<Time> read();

 private:
  enum class Digits : uint8_t { kOneOrTwo, kTwo };

  // Each of these consumes its part of the input and returns false if the input does not fit. A
  // number out of range is reported in out_of_range_.
  bool read_part(const LayoutChunk& chunk);
  bool read_date_part(const LayoutChunk& chunk);
  bool read_year(size_t size);
  bool read_clock_part(const LayoutChunk& chunk);
  bool read_second(Digits digits);
  bool read_half(std::string_view am, std::string_view pm);
  bool read_offset(const LayoutChunk& chunk);
  bool read_zone_name();
  bool read_fraction(const FractionForm& form);
  bool take_fraction(size_t bytes);
  bool take_number(Digits digits, int& out);
  bool take_year_day(bool all_digits);
  template <typename Name>
  bool take_name(int count, Name name, int& out);
  bool take_literal(std::string_view literal);

  base::Error does_not_fit(std::string_view value, std::string_view part) const;
  base::Error wrong(const std::string& message) const;
  void check_range(int number, int least, int most, const char* what) {
    if (number < least || number > most) {
      out_of_range_ = what;
    }
  }
  base::Status settle_date();
  base::Status settle_year_day();
  Time finish() const;
  Time in_named_zone() const;

  std::string_view layout_;
  std::string_view text_;
  const std::string_view whole_layout_;
  const std::string_view whole_text_;
  const char* out_of_range_ = nullptr;
  int64_t year_ = 0;
  int month_ = -1;
  int day_ = -1;
  int year_day_ = -1;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  int nanosecond_ = 0;
  bool is_am_ = false;
  bool is_pm_ = false;
  bool is_utc_ = false;
  std::optional<int64_t> offset_;
  std::string_view zone_name_;
  TimeZone::Ptr zone_;  // Used if the input names no zone.
};

base::Error TimeReader::does_not_fit(std::string_view value, std::string_view part) const {
  return base::Error(base::ErrorCode::kParse, "parsing time " + base::quote_bytes(whole_text_) +
                                                  " as " + base::quote_bytes(whole_layout_) +
                                                  ": cannot parse " + base::quote_bytes(value) +
                                                  " as " + base::quote_bytes(part));
}

base::Error TimeReader::wrong(const std::string& message) const {
  return base::Error(base::ErrorCode::kParse,
                     "parsing time " + base::quote_bytes(whole_text_) + ": " + message);
}

bool TimeReader::take_number(Digits digits, int& out) {
  if (!is_digit(text_, 0) || (digits == Digits::kTwo && !is_digit(text_, 1))) {
    return false;
  }
  const size_t count = is_digit(text_, 1) ? 2 : 1;
  out = 0;
  for (size_t i = 0; i < count; ++i) {
    out = out * 10 + (text_[i] - '0');
  }
  text_.remove_prefix(count);
  return true;
}

bool TimeReader::take_year_day(bool all_digits) {
  size_t count = 0;
  int number = 0;
  while (count < 3 && is_digit(text_, count)) {
    number = number * 10 + (text_[count++] - '0');
  }
  if (count == 0 || (all_digits && count != 3)) {
    return false;
  }
  year_day_ = number;
  text_.remove_prefix(count);
  return true;
}

// Consumes the first of `count` names with which the input begins, ignoring case.
template <typename Name>
bool TimeReader::take_name(int count, Name name, int& out) {
  for (int i = 0; i < count; ++i) {
    const std::string_view wanted = name(i);
    if (text_.size() >= wanted.size() &&
        base::to_lower_ascii(text_.substr(0, wanted.size())) == base::to_lower_ascii(wanted)) {
      out = i;
      text_.remove_prefix(wanted.size());
      return true;
    }
  }
  return false;
}

// A space matches any number of spaces, or none at the end.
bool TimeReader::take_literal(std::string_view literal) {
  const auto drop_spaces = [](std::string_view& s) {
    s.remove_prefix(std::min(s.find_first_not_of(' '), s.size()));
  };
  while (!literal.empty()) {
    if (literal[0] == ' ') {
      if (!text_.empty() && text_[0] != ' ') {
        return false;
      }
      drop_spaces(literal);
      drop_spaces(text_);
      continue;
    }
    if (text_.empty() || text_[0] != literal[0]) {
      return false;
    }
    literal.remove_prefix(1);
    text_.remove_prefix(1);
  }
  return true;
}

bool TimeReader::read_date_part(const LayoutChunk& chunk) {
  int ignored = 0;
  const auto month = [](int i) { return month_name(i + 1); };
  const auto short_month = [](int i) { return month_name(i + 1).substr(0, 3); };
  const auto short_weekday = [](int i) { return weekday_name(i).substr(0, 3); };
  switch (chunk.part) {
    case LayoutPart::kLongMonth:
    case LayoutPart::kMonth:
      if (!(chunk.part == LayoutPart::kMonth ? take_name(12, short_month, month_)
                                             : take_name(12, month, month_))) {
        return false;
      }
      ++month_;
      return true;
    case LayoutPart::kNumMonth:
    case LayoutPart::kZeroMonth:
      if (!take_number(chunk.part == LayoutPart::kZeroMonth ? Digits::kTwo : Digits::kOneOrTwo,
                       month_)) {
        return false;
      }
      check_range(month_, 1, 12, "month");
      return true;
    case LayoutPart::kLongWeekDay:
      return take_name(7, weekday_name, ignored);
    case LayoutPart::kWeekDay:
      return take_name(7, short_weekday, ignored);
    case LayoutPart::kUnderDay:
      text_.remove_prefix(text_.starts_with(' ') ? 1 : 0);
      return take_number(Digits::kOneOrTwo, day_);
    case LayoutPart::kDay:
      return take_number(Digits::kOneOrTwo, day_);
    case LayoutPart::kZeroDay:
      return take_number(Digits::kTwo, day_);
    case LayoutPart::kUnderYearDay:
      for (int i = 0; i < 2; ++i) {
        text_.remove_prefix(text_.starts_with(' ') ? 1 : 0);
      }
      return take_year_day(false);
    case LayoutPart::kZeroYearDay:
      return take_year_day(true);
    default:
      return read_year(chunk.part == LayoutPart::kLongYear ? 4 : 2);
  }
}

// A two-digit year from 69 on is in the 1900s.
bool TimeReader::read_year(size_t size) {
  if (text_.size() < size || (size == 4 && !is_digit(text_, 0))) {
    return false;
  }
  const std::optional<int64_t> number = base::parse_int(text_.substr(0, size));
  text_.remove_prefix(size);
  if (!number) {
    return false;
  }
  const int century = *number >= 69 ? 1900 : 2000;
  year_ = size == 4 ? *number : *number + century;
  return true;
}

bool TimeReader::take_fraction(size_t bytes) {
  if (text_[0] != '.' && text_[0] != ',') {
    return false;
  }
  const std::string_view digits = text_.substr(1, std::min<size_t>(bytes, 10) - 1);
  int number = 0;
  for (char c : digits) {
    if (!base::is_ascii_digit(c)) {
      return false;
    }
    number = number * 10 + (c - '0');
  }
  for (size_t i = digits.size(); i < 9; ++i) {
    number *= 10;
  }
  nanosecond_ = number;
  text_.remove_prefix(bytes);
  return true;
}

size_t fraction_size(std::string_view text) {
  if (text.empty() || (text[0] != '.' && text[0] != ',') || !is_digit(text, 1)) {
    return 0;
  }
  size_t size = 2;
  while (is_digit(text, size)) {
    ++size;
  }
  return size;
}

bool TimeReader::read_fraction(const FractionForm& form) {
  if (!form.trims_zeros) {
    return text_.size() > form.digits && take_fraction(form.digits + 1);
  }
  const size_t size = fraction_size(text_);
  return size == 0 || take_fraction(size);
}

// A fraction may follow even if the layout has none.
bool TimeReader::read_second(Digits digits) {
  if (!take_number(digits, second_)) {
    return false;
  }
  check_range(second_, 0, 59, "second");
  if (out_of_range_ != nullptr) {
    return true;
  }
  const size_t size = fraction_size(text_);
  std::string_view rest = layout_;
  return size == 0 || next_chunk(rest).part == LayoutPart::kFraction || take_fraction(size);
}

bool TimeReader::read_half(std::string_view am, std::string_view pm) {
  is_am_ = text_.starts_with(am) || is_am_;
  is_pm_ = text_.starts_with(pm) || is_pm_;
  if (!text_.starts_with(am) && !text_.starts_with(pm)) {
    return false;
  }
  text_.remove_prefix(2);
  return true;
}

bool TimeReader::read_clock_part(const LayoutChunk& chunk) {
  const bool zero_padded = chunk.part == LayoutPart::kZeroHour12 ||
                           chunk.part == LayoutPart::kZeroMinute ||
                           chunk.part == LayoutPart::kZeroSecond;
  const Digits digits = zero_padded ? Digits::kTwo : Digits::kOneOrTwo;
  bool fits = true;
  switch (chunk.part) {
    case LayoutPart::kHour:
      fits = take_number(Digits::kOneOrTwo, hour_);
      check_range(hour_, 0, 23, "hour");
      return fits;
    case LayoutPart::kHour12:
    case LayoutPart::kZeroHour12:
      fits = take_number(digits, hour_);
      check_range(hour_, 0, 12, "hour");
      return fits;
    case LayoutPart::kMinute:
    case LayoutPart::kZeroMinute:
      fits = take_number(digits, minute_);
      check_range(minute_, 0, 59, "minute");
      return fits;
    case LayoutPart::kSecond:
    case LayoutPart::kZeroSecond:
      return read_second(digits);
    case LayoutPart::kUpperPm:
      return read_half("AM", "PM");
    case LayoutPart::kLowerPm:
      return read_half("am", "pm");
    default:
      return read_date_part(chunk);
  }
}

bool TimeReader::read_offset(const LayoutChunk& chunk) {
  if (chunk.offset.z_for_utc && text_.starts_with('Z')) {
    text_.remove_prefix(1);
    is_utc_ = true;
    return true;
  }
  const OffsetForm& form = chunk.offset;
  const size_t groups = 1 + (form.minutes ? 1U : 0U) + (form.seconds ? 1U : 0U);
  const size_t size = 1 + 2 * groups + (form.colons ? groups - 1 : 0);
  if (text_.size() < size) {
    return false;
  }
  int parts[3] = {0, 0, 0};
  std::string_view rest = text_.substr(1, size - 1);
  for (size_t i = 0; i < groups; ++i) {
    if (i > 0 && form.colons) {
      if (rest[0] != ':') {
        return false;
      }
      rest.remove_prefix(1);
    }
    if (!is_digit(rest, 0) || !is_digit(rest, 1)) {
      return false;
    }
    parts[i] = (rest[0] - '0') * 10 + (rest[1] - '0');
    rest.remove_prefix(2);
  }
  check_range(parts[0], 0, 24, "time zone offset hour");
  check_range(parts[1], 0, 60, "time zone offset minute");
  check_range(parts[2], 0, 60, "time zone offset second");
  const int64_t magnitude = (int64_t{parts[0]} * 60 + parts[1]) * 60 + parts[2];
  const char sign = text_[0];
  text_.remove_prefix(size);
  offset_ = sign == '-' ? -magnitude : magnitude;
  return sign == '+' || sign == '-' || out_of_range_ != nullptr;
}

// Returns the size of a "+3" or "-11" at the start of the text in bytes, or 0.
size_t signed_offset_size(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) {
    return 0;
  }
  int64_t number = 0;
  size_t size = 1;
  while (is_digit(text, size)) {
    number = std::min<int64_t>(number * 10 + (text[size] - '0'), 1000);
    ++size;
  }
  return size == 1 || number > 23 ? 0 : size;
}

// Returns the size of a likely zone abbreviation at the start of the text in bytes, or 0.
// Source: Go time.parseTimeZone.
size_t zone_name_size(std::string_view text) {
  if (text.size() < 3) {
    return 0;
  }
  if (text.starts_with("ChST") || text.starts_with("MeST")) {
    return 4;
  }
  if (text.starts_with("GMT")) {
    return 3 + signed_offset_size(text.substr(3));
  }
  if (text[0] == '+' || text[0] == '-') {
    return signed_offset_size(text);
  }
  size_t capitals = 0;
  while (capitals < 6 && capitals < text.size() && base::is_ascii_upper(text[capitals])) {
    ++capitals;
  }
  switch (capitals) {
    case 3:
      return 3;
    case 4:
      return text[3] == 'T' || text.starts_with("WITA") ? 4 : 0;
    case 5:
      return text[4] == 'T' ? 5 : 0;
    default:
      return 0;
  }
}

bool TimeReader::read_zone_name() {
  if (text_.starts_with("UTC")) {
    text_.remove_prefix(3);
    is_utc_ = true;
    return true;
  }
  const size_t size = zone_name_size(text_);
  zone_name_ = text_.substr(0, size);
  text_.remove_prefix(size);
  return size > 0;
}

bool TimeReader::read_part(const LayoutChunk& chunk) {
  switch (chunk.part) {
    case LayoutPart::kOffset:
      return read_offset(chunk);
    case LayoutPart::kZoneName:
      return read_zone_name();
    case LayoutPart::kFraction:
      return read_fraction(chunk.fraction);
    default:
      return read_clock_part(chunk);
  }
}

// Converts the day of the year to month and day. A month or day that was also read must agree.
base::Status TimeReader::settle_year_day() {
  const int days = is_leap_year(year_) ? 366 : 365;
  if (year_day_ < 1 || year_day_ > days) {
    return wrong("day-of-year out of range");
  }
  const int64_t in_days = days_since_epoch(year_, 1, year_day_);
  const Civil date = civil_from_seconds(in_days * kSecondsPerDay);
  if (month_ >= 0 && month_ != date.month) {
    return wrong("day-of-year does not match month");
  }
  if (day_ >= 0 && day_ != date.day) {
    return wrong("day-of-year does not match day");
  }
  month_ = date.month;
  day_ = date.day;
  return {};
}

base::Status TimeReader::settle_date() {
  if (is_pm_ && hour_ < 12) {
    hour_ += 12;
  } else if (is_am_ && hour_ == 12) {
    hour_ = 0;
  }
  if (year_day_ >= 0) {
    CW_TRY_VOID(settle_year_day());
  }
  month_ = month_ < 0 ? 1 : month_;
  day_ = day_ < 0 ? 1 : day_;
  if (day_ < 1 || day_ > days_in_month(month_, year_)) {
    return wrong("day out of range");
  }
  return {};
}

// The input has only an abbreviation, which zone_ may define.
Time TimeReader::in_named_zone() const {
  const Civil civil{year_, month_, day_, hour_, minute_, second_};
  Time time = Time::from_civil(civil, nanosecond_, TimeZone::utc());
  if (const std::optional<int64_t> offset = zone_->offset_of(zone_name_, time.seconds)) {
    time.seconds -= *offset;
    time.zone = zone_;
    return time;
  }
  int64_t offset = 0;
  if (zone_name_.size() > 3 && zone_name_.starts_with("GMT")) {
    const bool negative = zone_name_[3] == '-';
    offset = base::parse_int(zone_name_.substr(4)).value_or(0) * kSecondsPerHour;
    offset = negative ? -offset : offset;
  }
  time.zone = TimeZone::fixed(zone_name_, offset);
  return time;
}

Time TimeReader::finish() const {
  const Civil civil{year_, month_, day_, hour_, minute_, second_};
  if (is_utc_) {
    return Time::from_civil(civil, nanosecond_, TimeZone::utc());
  }
  if (offset_) {
    Time time = Time::from_civil(civil, nanosecond_, TimeZone::utc());
    time.seconds -= *offset_;
    const ZonePeriod period = zone_->lookup(time.seconds);
    const bool is_local =
        period.offset == *offset_ && (zone_name_.empty() || period.name == zone_name_);
    time.zone = is_local ? zone_ : TimeZone::fixed(zone_name_, *offset_);
    return time;
  }
  return zone_name_.empty() ? Time::from_civil(civil, nanosecond_, zone_) : in_named_zone();
}

base::Result<Time> TimeReader::read() {
  while (true) {
    const LayoutChunk chunk = next_chunk(layout_);
    if (!take_literal(chunk.literal)) {
      return does_not_fit(text_, chunk.literal);
    }
    if (chunk.part == LayoutPart::kNone) {
      break;
    }
    const std::string_view before = text_;
    const bool fits = read_part(chunk);
    if (out_of_range_ != nullptr) {
      return wrong(std::string(out_of_range_) + " out of range");
    }
    if (!fits) {
      return does_not_fit(before, chunk.text);
    }
  }
  if (!text_.empty()) {
    return wrong("extra text: " + base::quote_bytes(text_));
  }
  CW_TRY_VOID(settle_date());
  return finish();
}

}  // namespace

base::Result<Time> parse_time(std::string_view layout, std::string_view text) {
  return parse_time_in(layout, text, TimeZone::local());
}

base::Result<Time> parse_time_in(std::string_view layout, std::string_view text,
                                 const TimeZone::Ptr& zone) {
  return TimeReader(layout, text, zone).read();
}

}  // namespace chartwright::go
