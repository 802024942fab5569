// SPDX-License-Identifier: Apache-2.0
#include "yaml/timestamp.h"

#include <array>
#include <cstddef>

#include "base/ascii.h"

namespace chartwright::yaml {
namespace {

constexpr size_t kYearDigits = 4;

int days_in(int month, int year) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays.at(static_cast<size_t>(month - 1));
}

// Reads a timestamp from the front; every step returns false where time.Parse would fail.
class TimestampReader {
 public:
  explicit TimestampReader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  bool literal(char c) {
    if (!rest_.starts_with(c)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  // A space in a layout matches any run of spaces, but an empty run only at the end of the text.
  bool spaces() {
    if (!rest_.empty() && rest_.front() != ' ') {
      return false;
    }
    while (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
    }
    return true;
  }

  // Reads year "-" month "-" day, and checks the day against the month.
  bool date() {
    int year = 0;
    for (size_t i = 0; i < kYearDigits; ++i) {
      year = year * 10 + (rest_.at(i) - '0');
    }
    rest_.remove_prefix(kYearDigits);
    int month = 0;
    int day = 0;
    return literal('-') && number(1, 12, month) && literal('-') && number(1, 31, day) &&
           day <= days_in(month, year);
  }

  // Reads hour ":" minute ":" second, with a fraction of any length.
  bool clock() {
    int ignored = 0;
    if (!(number(0, 23, ignored) && literal(':') && number(0, 59, ignored) && literal(':') &&
          number(0, 59, ignored))) {
      return false;
    }
    if (rest_.size() >= 2 && (rest_[0] == '.' || rest_[0] == ',') &&
        base::is_ascii_digit(rest_[1])) {
      rest_.remove_prefix(1);
      while (!rest_.empty() && base::is_ascii_digit(rest_.front())) {
        rest_.remove_prefix(1);
      }
    }
    return true;
  }

  // Reads "Z" or an offset such as +07:00; Go allows 24 hours and 60 minutes there.
  bool zone() {
    if (literal('Z')) {
      return true;
    }
    if (!literal('+') && !literal('-')) {
      return false;
    }
    return two_digits(24) && literal(':') && two_digits(60);
  }

 private:
  // Reads one or two digits within [low, high].
  bool number(int low, int high, int& out) {
    if (rest_.empty() || !base::is_ascii_digit(rest_.front())) {
      return false;
    }
    out = rest_.front() - '0';
    rest_.remove_prefix(1);
    if (!rest_.empty() && base::is_ascii_digit(rest_.front())) {
      out = out * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return low <= out && out <= high;
  }

  bool two_digits(int high) {
    int ignored = 0;
    return rest_.size() >= 2 && base::is_ascii_digit(rest_[1]) && number(0, high, ignored);
  }

  std::string_view rest_;
};

}  // namespace

bool is_yaml_timestamp(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && base::is_ascii_digit(text[digits])) {
    ++digits;
  }
  if (digits != kYearDigits || digits == text.size() || text[digits] != '-') {
    return false;
  }
  TimestampReader reader(text);
  if (!reader.date()) {
    return false;
  }
  if (reader.done()) {
    return true;
  }
  if (reader.literal('T') || reader.literal('t')) {
    return reader.clock() && reader.zone() && reader.done();
  }
  return reader.spaces() && reader.clock() && reader.done();
}

}  // namespace chartwright::yaml
