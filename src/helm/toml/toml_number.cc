// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/toml_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "go/time.h"
#include "helm/funcs/cast.h"
#include "helm/funcs/time_value.h"
#include "tmpl/number_literal.h"

// Source: BurntSushi/toml v1.6.0 lex.go from lexNumberOrDateStart to lexFloat, parse.go
// valueInteger, valueFloat and valueDatetime.
namespace chartwright::helm {
namespace {

using base::Result;
using value::Value;

base::Error malformed_number(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

/// Reports whether a number has a leading zero; "0x", "0o" and "0b" do not count.
bool has_leading_zero(std::string_view text) {
  const auto at = [text](size_t i) { return i < text.size() ? text[i] : '\0'; };
  if (text.size() > 1 && at(0) == '0') {
    return at(1) != 'b' && at(1) != 'o' && at(1) != 'x';
  }
  return text.size() > 2 && (at(0) == '-' || at(0) == '+') && at(1) == '0';
}

/// Reports whether every underscore is between two digits of any base, and the last character is a
/// digit.
bool has_good_underscores(std::string_view text) {
  if (text == "nan" || text == "+nan" || text == "-nan" || text == "inf" || text == "+inf" ||
      text == "-inf") {
    return true;
  }
  bool after_digit = false;
  for (const char c : text) {
    if (c == '_' && !after_digit) {
      return false;
    }
    after_digit = is_toml_hex(static_cast<unsigned char>(c));
  }
  return after_digit;
}

/// Reports whether a digit follows every period.
bool has_good_periods(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' &&
        (i + 1 == text.size() || !is_toml_digit(static_cast<unsigned char>(text[i + 1])))) {
      return false;
    }
  }
  return true;
}

/// Reports whether `text` is digits with an optional sign, period and exponent.
bool is_decimal(std::string_view text) {
  const auto skip_sign = [&text] {
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
      text.remove_prefix(1);
    }
  };
  const auto skip_digits = [&text] {
    const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  skip_sign();
  size_t digits = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0 || text.empty()) {
    return digits > 0;
  }
  if (text[0] != 'e' && text[0] != 'E') {
    return false;
  }
  text.remove_prefix(1);
  skip_sign();
  return skip_digits() > 0 && text.empty();
}

/// Splits a number at its period and its exponent letter; omits empty parts.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(".eE"), text.size());
    if (end > 0) {
      parts.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

base::Status check_float(std::string_view text) {
  const std::string invalid = "Invalid float " + go::quote(text) + ": ";
  const std::vector<std::string_view> parts = parts_of(text);
  if (!std::all_of(parts.begin(), parts.end(), has_good_underscores)) {
    return malformed_number(invalid + "underscores must be surrounded by digits");
  }
  if (!parts.empty() && has_leading_zero(parts[0])) {
    return malformed_number(invalid + "cannot have leading zeroes");
  }
  if (!has_good_periods(text)) {
    return malformed_number(invalid + "'.' must be followed by one or more digits");
  }
  return {};
}

/// Whether a time has seconds, which TOML 1.0 requires.
enum class HasSeconds : uint8_t { kYes, kNo };

struct DateForm {
  std::string_view layout;
  std::string_view zone;  ///< "" if the layout includes an offset.
  HasSeconds has_seconds = HasSeconds::kYes;
};
constexpr std::array kDateForms = {
    DateForm{"2006-01-02T15:04:05.999999999Z07:00", ""},
    DateForm{"2006-01-02T15:04:05.999999999", "datetime-local"},
    DateForm{"2006-01-02", "date-local"},
    DateForm{"15:04:05.999999999", "time-local"},
    DateForm{"2006-01-02T15:04Z07:00", "", HasSeconds::kNo},
    DateForm{"2006-01-02T15:04", "datetime-local", HasSeconds::kNo},
    DateForm{"15:04", "time-local", HasSeconds::kNo},
};

/// Reports whether a leading zero is missing. Go accepts "1:02" for a layout with two digits; TOML
/// does not. Compares the positions of the separators.
bool misses_leading_zero(std::string_view text, std::string_view layout) {
  for (size_t i = 0; i < layout.size() && layout[i] != '.' && layout[i] != 'Z'; ++i) {
    const bool separator = !is_toml_digit(static_cast<unsigned char>(layout[i]));
    if (separator && (i >= text.size() || text[i] != layout[i])) {
      return true;
    }
  }
  return false;
}

Result<Value> to_integer(std::string_view text) {
  const std::string invalid = "Invalid integer " + go::quote(text) + ": ";
  if (!has_good_underscores(text)) {
    return malformed_number(invalid + "underscores must be surrounded by digits");
  }
  if (has_leading_zero(text)) {
    return malformed_number(invalid + "cannot have leading zeroes");
  }
  const auto number = tmpl::parse_go_int(text);
  if (!number) {
    return malformed_number(std::string(text) + " is out of range for int64");
  }
  return Value::integer(*number);
}

Result<Value> to_float(std::string_view text) {
  CW_TRY_VOID(check_float(text));
  std::string plain(text);
  std::erase(plain, '_');
  if (plain.ends_with("nan")) {
    return Value::number(std::copysign(std::nan(""), plain[0] == '-' ? -1.0 : 1.0));
  }
  if (const auto number = funcs::parse_float(plain)) {
    return Value::number(*number);
  }
  return malformed_number(is_decimal(plain) ? std::string(text) + " is out of range for float64"
                                            : "Invalid float value: " + go::quote(text));
}

Result<Value> to_time(std::string_view text, base::WallTime now, TomlRule rule) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), 'z', 'Z');
  std::replace(plain.begin(), plain.end(), 't', 'T');
  std::replace(plain.begin(), plain.end(), ' ', 'T');
  const go::TimeZone::Ptr local = go::TimeZone::local();
  for (const DateForm& form : kDateForms) {
    if (form.has_seconds == HasSeconds::kNo && rule == TomlRule::k1_5) {
      continue;
    }
    const int64_t offset = local->lookup(go::Time::from_wall(now).seconds).offset;
    const auto time = go::parse_time_in(
        form.layout, plain, form.zone.empty() ? local : go::TimeZone::fixed(form.zone, offset));
    if (time.ok() && !misses_leading_zero(plain, form.layout)) {
      return funcs::make_time(*time);
    }
    if (time.ok()) {
      break;
    }
  }
  return malformed_number("invalid datetime: " + go::quote(plain));
}

bool is_octal(char32_t c) { return base::is_ascii_octal_digit(c); }
bool is_binary(char32_t c) { return c == '0' || c == '1'; }

/// Reads one number or time from the scanner, which must be at its start.
class NumberReader {
 public:
  NumberReader(TomlScanner& scan, base::WallTime now) : scan_(scan), now_(now) {}

  Result<Value> unsigned_or_time() { return scan_.next() == '0' ? after_zero() : plain(); }

  /// Reads a number after its sign.
  Result<Value> signed_number() {
    const char32_t c = scan_.next();
    if (c == 'i' || c == 'n') {
      const bool is_known = c == 'i' ? scan_.accept('n') && scan_.accept('f')
                                     : scan_.accept('a') && scan_.accept('n');
      return is_known ? take(to_float)
                      : scan_.error("invalid float: '" + std::string(scan_.current()) + "'");
    }
    if (c == '.') {
      return scan_.error("floats must start with a digit, not '.'");
    }
    if (c == '0') {
      const char32_t base = scan_.peek();
      if (base == 'b' || base == 'o' || base == 'x') {
        return scan_.error("cannot use sign with non-decimal numbers: '" +
                           std::string(scan_.current()) + static_cast<char>(base) + "'");
      }
    }
    return is_toml_digit(c) ? decimal()
                            : scan_.error("expected a digit but got " + go::quote_rune(c));
  }

  Result<Value> take_float() { return take(to_float); }

 private:
  Result<Value> take(Result<Value> (*convert)(std::string_view)) {
    CW_TRY(const TomlToken token, scan_.take());
    return on_toml_line(convert(token.text), token.line);
  }

  /// Ends the number before the rune just read.
  Result<Value> end(Result<Value> (*convert)(std::string_view)) {
    scan_.backup();
    return take(convert);
  }

  Result<Value> after_zero() {
    const char32_t c = scan_.next();
    switch (c) {
      case '_':
        return decimal();
      case '.':
      case 'e':
      case 'E':
        return fraction();
      case 'b':
        return based(is_binary, "not a binary number: '");
      case 'o':
        return based(is_octal, "not an octal number: '");
      case 'x':
        return based(is_toml_hex, "not a hexadecimal number: '");
      default:
        return is_toml_digit(c) ? plain() : end(to_integer);
    }
  }

  /// Reads decimal digits up to the rune that determines the kind of value.
  Result<Value> plain() {
    char32_t c = scan_.next();
    while (is_toml_digit(c)) {
      c = scan_.next();
    }
    switch (c) {
      case '-':
      case ':':
        return time();
      case '_':
        return decimal();
      case '.':
      case 'e':
      case 'E':
        return fraction();
      default:
        return end(to_integer);
    }
  }

  Result<Value> decimal() {
    char32_t c = scan_.next();
    while (is_toml_digit(c) || c == '_') {
      c = scan_.next();
    }
    return c == '.' || c == 'e' || c == 'E' ? fraction() : end(to_integer);
  }

  Result<Value> fraction() {
    constexpr std::string_view kRest = "0123456789_.-+eE";
    while (is_one_of(scan_.next(), kRest)) {
    }
    return end(to_float);
  }

  Result<Value> based(bool (*is_digit)(char32_t), std::string_view complaint) {
    if (const char32_t c = scan_.peek(); !is_digit(c)) {
      std::string message = std::string(complaint) + std::string(scan_.current());
      base::append_rune(message, c);
      return scan_.error(message + "'");
    }
    char32_t c = scan_.next();
    while (is_digit(c) || c == '_') {
      c = scan_.next();
    }
    return end(to_integer);
  }

  Result<Value> time() {
    constexpr std::string_view kRest = "0123456789-:Tt .Zz+";
    while (is_one_of(scan_.next(), kRest)) {
    }
    scan_.backup();
    CW_TRY(const TomlToken token, scan_.take());
    const size_t size = token.text.find_last_not_of(' ') + 1;
    return on_toml_line(to_time(token.text.substr(0, size), now_, scan_.rule()), token.line);
  }

  static bool is_one_of(char32_t c, std::string_view set) {
    return c != TomlScanner::kEnd && c < 0x80 &&
           set.find(static_cast<char>(c)) != std::string_view::npos;
  }

  TomlScanner& scan_;
  base::WallTime now_;
};

}  // namespace

Result<Value> read_toml_number(TomlScanner& scan, base::WallTime now) {
  return NumberReader(scan, now).unsigned_or_time();
}

Result<Value> read_toml_signed_number(TomlScanner& scan, base::WallTime now) {
  return NumberReader(scan, now).signed_number();
}

Result<Value> take_toml_float(TomlScanner& scan) { return NumberReader(scan, {}).take_float(); }

}  // namespace chartwright::helm
