// SPDX-License-Identifier: Apache-2.0
#include "yaml/resolve.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "go/number_text.h"
#include "yaml/timestamp.h"

namespace chartwright::yaml {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::string_view kBoolTag = "tag:yaml.org,2002:bool";
constexpr std::string_view kFloatTag = "tag:yaml.org,2002:float";
constexpr std::string_view kIntTag = "tag:yaml.org,2002:int";
constexpr std::string_view kNullTag = "tag:yaml.org,2002:null";
constexpr std::string_view kStringTag = "tag:yaml.org,2002:str";
constexpr std::string_view kTimestampTag = "tag:yaml.org,2002:timestamp";

Scalar of_bool(bool b) { return {.type = Type::kBool, .boolean = b}; }
Scalar of_int(int64_t i) { return {.type = Type::kInt, .integer = i}; }
Scalar of_uint(uint64_t u) { return {.type = Type::kUint, .unsigned_integer = u}; }
Scalar of_float(double d) { return {.type = Type::kFloat, .number = d}; }

// Reports whether scalars with this tag are resolved. With any other tag, the text is a string.
bool is_resolvable(std::string_view tag) {
  return tag.empty() || tag == kStringTag || tag == kBoolTag || tag == kIntTag ||
         tag == kFloatTag || tag == kNullTag || tag == kTimestampTag;
}

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> words) {
  const auto is_text = [text](std::string_view word) {
    return word.size() == text.size() &&
           (word.empty() || (word.front() == text.front() && word == text));
  };
  return std::any_of(words.begin(), words.end(), is_text);
}

// Resolves the words of YAML 1.1 that are not strings.
std::optional<Scalar> resolve_word(std::string_view text) {
  constexpr size_t kLongestWord = 5;
  if (text.size() > kLongestWord) {
    return std::nullopt;
  }
  if (is_any_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return of_bool(true);
  }
  if (is_any_of(text,
                {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return of_bool(false);
  }
  if (is_any_of(text, {"", "~", "null", "Null", "NULL"})) {
    return Scalar{.type = Type::kNull};
  }
  if (is_any_of(text, {".nan", ".NaN", ".NAN"})) {
    return of_float(std::numeric_limits<double>::quiet_NaN());
  }
  if (is_any_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    return of_float(std::numeric_limits<double>::infinity());
  }
  if (is_any_of(text, {"-.inf", "-.Inf", "-.INF"})) {
    return of_float(-std::numeric_limits<double>::infinity());
  }
  return std::nullopt;
}

struct Sign {
  bool negative = false;
  bool present = false;
};

Sign take_sign(std::string_view& text) {
  Sign sign{text.starts_with('-'), text.starts_with('-') || text.starts_with('+')};
  if (sign.present) {
    text.remove_prefix(1);
  }
  return sign;
}

std::optional<uint64_t> parse_magnitude(std::string_view text, int base) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Resolves an integer in Go's syntax: int64 if it fits, else uint64 if it has no sign.
std::optional<Scalar> resolve_integer(std::string_view text) {
  const Sign sign = take_sign(text);
  const int base = go::take_base_prefix(text);
  const std::optional<uint64_t> magnitude = parse_magnitude(text, base);
  if (!magnitude) {
    return std::nullopt;
  }
  constexpr uint64_t kMaxPositive = std::numeric_limits<int64_t>::max();
  if (sign.negative) {
    if (*magnitude > kMaxPositive + 1) {
      return std::nullopt;
    }
    return of_int(static_cast<int64_t>(~*magnitude + 1));
  }
  if (*magnitude <= kMaxPositive) {
    return of_int(static_cast<int64_t>(*magnitude));
  }
  return sign.present ? std::nullopt : std::optional(of_uint(*magnitude));
}

// go-yaml parses "0b" separately a second time, which allows a sign after the prefix.
std::optional<Scalar> resolve_signed_binary(std::string_view text) {
  if (!text.starts_with("0b")) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  const Sign sign = take_sign(text);
  const std::optional<uint64_t> magnitude = parse_magnitude(text, 2);
  constexpr uint64_t kMaxPositive = std::numeric_limits<int64_t>::max();
  if (!magnitude || *magnitude > kMaxPositive + (sign.negative ? 1 : 0)) {
    return std::nullopt;
  }
  return of_int(static_cast<int64_t>(sign.negative ? ~*magnitude + 1 : *magnitude));
}

size_t count_digits(std::string_view text) {
  return static_cast<size_t>(
      std::find_if_not(text.begin(), text.end(), base::is_ascii_digit<char>) - text.begin());
}

// sign? ( "." digits | digits [ "." digits? ] ) ( [eE] sign? digits )?
bool has_float_form(std::string_view text) {
  take_sign(text);
  const size_t whole = count_digits(text);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const size_t fraction = count_digits(text);
    if (whole + fraction == 0) {
      return false;
    }
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    take_sign(text);
    const size_t exponent = count_digits(text);
    if (exponent == 0) {
      return false;
    }
    text.remove_prefix(exponent);
  }
  return text.empty();
}

// Returns the value of a text in float form, or nullopt if it is too large for a double.
std::optional<double> parse_float(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) {
    return value;
  }
  // from_chars does not say whether the number was too large or too small; strtod does.
  value = std::strtod(std::string(text).c_str(), nullptr);
  const double limit = std::numeric_limits<double>::max();
  return value > limit || value < -limit ? std::nullopt : std::optional(value);
}

// Reports whether underscores are only between digits (Go's rule for float literals).
bool has_only_inner_underscores(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && (i == 0 || !base::is_ascii_digit(text[i - 1]) || i + 1 == text.size() ||
                           !base::is_ascii_digit(text[i + 1]))) {
      return false;
    }
  }
  return true;
}

// Resolves a text that starts with a dot.
std::optional<Scalar> resolve_dotted(std::string_view text) {
  const std::string plain = go::without_underscores(text);
  if (!has_only_inner_underscores(text) || !has_float_form(plain)) {
    return std::nullopt;
  }
  const std::optional<double> number = parse_float(plain);
  return number ? std::optional(of_float(*number)) : std::nullopt;
}

// Resolves a text that starts with a digit or a sign.
std::optional<Scalar> resolve_numeric(std::string_view tag, std::string_view text) {
  if ((tag.empty() || tag == kTimestampTag) && is_yaml_timestamp(text)) {
    return Scalar{.type = Type::kTimestamp};
  }
  const std::string plain = go::without_underscores(text);
  if (auto integer = resolve_integer(plain)) {
    return integer;
  }
  if (has_float_form(plain)) {
    if (auto number = parse_float(plain)) {
      return of_float(*number);
    }
  }
  return resolve_signed_binary(plain);
}

// Resolves the text by itself; the tag only rules out timestamps.
Scalar resolve_text(std::string_view tag, std::string_view text) {
  const char first = text.empty() ? '~' : text.front();
  std::optional<Scalar> scalar;
  if (std::string_view("yYnNtTfFoO~").find(first) != std::string_view::npos) {
    scalar = resolve_word(text);
  } else if (first == '.') {
    scalar = resolve_word(text);
    scalar = scalar ? scalar : resolve_dotted(text);
  } else if (first == '+' || first == '-' || base::is_ascii_digit(first)) {
    scalar = resolve_word(text);
    scalar = scalar ? scalar : resolve_numeric(tag, text);
  }
  return scalar.value_or(Scalar{});
}

std::string_view tag_of(Type type) {
  switch (type) {
    case Type::kNull:
      return kNullTag;
    case Type::kBool:
      return kBoolTag;
    case Type::kInt:
    case Type::kUint:
      return kIntTag;
    case Type::kFloat:
      return kFloatTag;
    case Type::kTimestamp:
      return kTimestampTag;
    case Type::kString:
      break;
  }
  return kStringTag;
}

std::string short_tag(std::string_view tag) {
  return "!!" + std::string(tag.substr(kTagPrefix.size()));
}

}  // namespace

Scalar resolve_plain_scalar(std::string_view text) { return resolve_text({}, text); }

base::Result<Scalar> resolve_yaml_scalar(std::string_view tag, std::string_view text) {
  if (!is_resolvable(tag) || tag == kStringTag) {
    return Scalar{};
  }
  Scalar scalar = resolve_text(tag, text);
  const std::string_view found = tag_of(scalar.type);
  if (tag.empty() || tag == found) {
    return scalar;
  }
  if (tag == kFloatTag && scalar.type == Type::kInt) {
    return of_float(static_cast<double>(scalar.integer));
  }
  return Error(ErrorCode::kParse, "yaml: cannot decode " + short_tag(found) + " `" +
                                      std::string(text) + "` as a " + short_tag(tag));
}

bool is_base60_number(std::string_view text) {
  if (text.empty() || text.find(':') == std::string_view::npos) {
    return false;
  }
  take_sign(text);
  const auto is_digit_or_underscore = [](char c) { return base::is_ascii_digit(c) || c == '_'; };
  const auto skip_run = [&] {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit_or_underscore);
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
  };
  if (text.empty() || !base::is_ascii_digit(text.front())) {
    return false;
  }
  skip_run();
  if (!text.starts_with(':')) {
    return false;
  }
  while (text.starts_with(':')) {
    text.remove_prefix(1);
    const size_t digits = count_digits(text);
    if (digits == 0 || digits > 2 || (digits == 2 && text.front() > '5')) {
      return false;
    }
    text.remove_prefix(digits);
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    skip_run();
  }
  return text.empty();
}

}  // namespace chartwright::yaml
