// SPDX-License-Identifier: Apache-2.0
// The "format" keyword, which drafts before 2019-09 assert.
// Source: santhosh-tekuri/jsonschema v6 format.go.
#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "helm/schema/graph.h"

namespace chartwright::helm {
namespace {

using Verdict = std::optional<std::string>;  ///< The fault; nullopt if the value is valid.

bool all_digits(std::string_view s) {
  return std::all_of(s.begin(), s.end(), base::is_ascii_digit<char>);
}

size_t leading_digits(std::string_view s) {
  return static_cast<size_t>(std::find_if_not(s.begin(), s.end(), base::is_ascii_digit<char>) -
                             s.begin());
}

/// Returns the character at `at`, quoted for a message.
std::string quoted_character(std::string_view text, size_t at) {
  return go::quote_rune(base::decode_rune(text.substr(at)).rune);
}

Verdict prefixed(std::string_view what, Verdict verdict) {
  return verdict ? Verdict(std::string(what) + *verdict) : verdict;
}

Verdict json_pointer(std::string_view s) {
  if (s.empty()) {
    return {};
  }
  if (s.front() != '/') {
    return "not starting with /";
  }
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '~' && (i + 1 == s.size() || (s[i + 1] != '0' && s[i + 1] != '1'))) {
      return "~ must be followed by 0 or 1";
    }
  }
  return {};
}

Verdict relative_json_pointer(std::string_view s) {
  const size_t digits = leading_digits(s);
  if (digits == 0) {
    return "must start with non-negative integer";
  }
  if (digits > 1 && s.front() == '0') {
    return "starts with zero";
  }
  s.remove_prefix(digits);
  return s == "#" ? Verdict() : json_pointer(s);
}

Verdict uuid(std::string_view s) {
  static constexpr std::array<size_t, 5> kLengths = {8, 4, 4, 4, 12};
  const auto groups = base::split(s, '-');
  if (groups.size() != kLengths.size()) {
    return "must have 5 elements";
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].size() != kLengths[i]) {
      return "element " + std::to_string(i + 1) + " must be " + std::to_string(kLengths[i]) +
             " characters long";
    }
    for (size_t at = 0; at < groups[i].size(); ++at) {
      if (!base::is_ascii_hex_digit(groups[i][at])) {
        return "non-hex character " + quoted_character(groups[i], at);
      }
    }
  }
  return {};
}

/// Checks the numbers with units in one half of a duration.
Verdict duration_part(std::string_view s, std::string_view all_units) {
  std::string_view units = all_units;
  while (!s.empty()) {
    const size_t digits = leading_digits(s);
    if (digits == 0) {
      return "missing number";
    }
    if (digits == s.size()) {
      return "missing unit";
    }
    const char unit = s[digits];
    const size_t at = units.find(unit);
    if (at == std::string_view::npos) {
      const bool known = all_units.find(unit) != std::string_view::npos;
      return (known ? "unit " : "invalid unit ") + quoted_character(s, digits) +
             (known ? " out of order" : "");
    }
    units.remove_prefix(at + 1);
    s.remove_prefix(digits + 1);
  }
  return {};
}

Verdict weeks(std::string_view number) {
  if (number.empty()) {
    return "no number in week";
  }
  return all_digits(number) ? Verdict() : Verdict("invalid week");
}

Verdict duration(std::string_view s) {
  if (!s.starts_with('P')) {
    return "must start with P";
  }
  s.remove_prefix(1);
  if (s.empty()) {
    return "nothing after P";
  }
  if (s.ends_with('W')) {
    s.remove_suffix(1);
    return weeks(s);
  }
  static constexpr std::array<std::string_view, 2> kUnits = {"YMD", "HMS"};
  const auto parts = base::split(s, 'T');
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i].empty()) {
      return "no time elements";
    }
    if (i >= kUnits.size()) {
      return "more than one T";
    }
    if (Verdict verdict = duration_part(parts[i], kUnits[i])) {
      return verdict;
    }
  }
  return {};
}

Verdict ipv4(std::string_view s) {
  const auto groups = base::split(s, '.');
  if (groups.size() != 4) {
    return "expected four decimals";
  }
  for (std::string_view group : groups) {
    if (group.size() > 1 && group.front() == '0') {
      return "leading zeros";
    }
    const auto number = base::parse_int(group);
    if (!number) {
      return "strconv.Atoi: parsing " + go::quote(group) + ": invalid syntax";
    }
    if (*number < 0 || *number > 255) {
      return "decimal must be between 0 and 255";
    }
  }
  return {};
}

Verdict ipv6(std::string_view s) {
  if (s.find(':') == std::string_view::npos) {
    return "missing colon";
  }
  in6_addr address{};
  const size_t zone = s.find('%');
  if (inet_pton(AF_INET6, std::string(s.substr(0, zone)).c_str(), &address) != 1) {
    return "ParseAddr(" + go::quote(s) + "): unable to parse IP";
  }
  if (zone != std::string_view::npos) {
    return "zone id is not a part of ipv6 address";
  }
  return {};
}

Verdict hostname(std::string_view s) {
  if (s.ends_with('.')) {
    s.remove_suffix(1);
  }
  if (s.size() > 253) {
    return "more than 253 characters long";
  }
  for (std::string_view label : base::split(s, '.')) {
    if (label.empty() || label.size() > 63) {
      return "label must be 1 to 63 characters long";
    }
    if (label.front() == '-') {
      return "label starts with hyphen";
    }
    if (label.back() == '-') {
      return "label ends with hyphen";
    }
    for (size_t i = 0; i < label.size(); ++i) {
      if (!base::is_ascii_letter(label[i]) && !base::is_ascii_digit(label[i]) && label[i] != '-') {
        return "invalid character " + quoted_character(label, i);
      }
    }
  }
  return {};
}

Verdict email_local(std::string_view local, SchemaRelease release) {
  if (local.size() > 64) {
    return "local part more than 64 characters long";
  }
  const bool closes = local.ends_with('"') || release == SchemaRelease::k6_0_2;
  if (local.size() > 1 && local.front() == '"' && closes) {
    const std::string_view inner = local.substr(1, local.size() - 2);
    if (inner.find_first_of("\\\"") != std::string_view::npos) {
      return "backslash and quote are not allowed within quoted local part";
    }
    return {};
  }
  if (local.starts_with('.')) {
    return "starts with dot";
  }
  if (local.ends_with('.')) {
    return "ends with dot";
  }
  if (local.find("..") != std::string_view::npos) {
    return "consecutive dots";
  }
  for (size_t i = 0; i < local.size(); ++i) {
    constexpr std::string_view kOthers = ".!#$%&'*+-/=?^_`{|}~";
    if (!base::is_ascii_letter(local[i]) && !base::is_ascii_digit(local[i]) &&
        kOthers.find(local[i]) == std::string_view::npos) {
      return "invalid character " + quoted_character(local, i);
    }
  }
  return {};
}

Verdict email(std::string_view s, SchemaRelease release) {
  if (s.size() > 254) {
    return "more than 255 characters long";
  }
  const size_t at = s.rfind('@');
  if (at == std::string_view::npos) {
    return "missing @";
  }
  if (Verdict verdict = email_local(s.substr(0, at), release)) {
    return verdict;
  }
  std::string_view domain = s.substr(at + 1);
  if (domain.starts_with('[') && domain.ends_with(']')) {
    domain = domain.substr(1, domain.size() - 2);
    if (domain.starts_with("IPv6:")) {
      return prefixed("invalid ipv6 address: ", ipv6(domain.substr(5)));
    }
    return prefixed("invalid ipv4 address: ", ipv4(domain));
  }
  return prefixed("invalid domain: ", hostname(domain));
}

Verdict date(std::string_view s) {
  const std::string cannot = "parsing time " + go::quote(s) + " as \"2006-01-02\": cannot parse ";
  static constexpr std::array<std::pair<size_t, std::string_view>, 5> kParts = {
      {{4, "2006"}, {1, "-"}, {2, "01"}, {1, "-"}, {2, "02"}}};
  std::string_view rest = s;
  for (const auto& [length, layout] : kParts) {
    const std::string_view part = rest.substr(0, length);
    const bool fits = layout == "-" ? part == "-" : part.size() == length && all_digits(part);
    if (!fits) {
      return cannot + go::quote(rest) + " as " + go::quote(layout);
    }
    rest.remove_prefix(length);
  }
  if (!rest.empty()) {
    return "parsing time " + go::quote(s) + ": extra text: " + go::quote(rest);
  }
  const int64_t month = base::parse_int(s.substr(5, 2)).value_or(0);
  if (month < 1 || month > 12) {
    return "parsing time " + go::quote(s) + ": month out of range";
  }
  if (!base::parse_rfc3339(std::string(s) + "T00:00:00Z").ok()) {
    return "parsing time " + go::quote(s) + ": day out of range";
  }
  return {};
}

/// Returns the minutes by which an offset like "+01:30" shifts a time.
std::optional<int64_t> offset_minutes(std::string_view s, std::string& why) {
  if (s == "z" || s == "Z") {
    return 0;
  }
  if (s.size() != 6) {
    why = "offset must be 6 characters long";
  } else if (s[0] != '+' && s[0] != '-') {
    why = "offset must begin with plus/minus";
  } else if (s[3] != ':') {
    why = "missing colon in offset in correct place";
  } else {
    const auto hours = base::parse_int(s.substr(1, 2));
    const auto minutes = base::parse_int(s.substr(4, 2));
    if (!hours || !minutes) {
      why = "invalid hour/min in offset";
    } else if (*hours < 0 || *minutes < 0) {
      why = "non-positive hour/min in offset";
    } else if (*hours > 23 || *minutes > 59) {
      why = "hour/min in offset out of range";
    } else {
      return (s[0] == '+' ? -1 : 1) * (*hours * 60 + *minutes);
    }
  }
  return std::nullopt;
}

Verdict time_of_day(std::string_view s) {
  if (s.size() < 9) {
    return "less than 9 characters long";
  }
  if (s[2] != ':' || s[5] != ':') {
    return "missing colon in correct place";
  }
  std::array<int64_t, 3> hms{};
  for (size_t i = 0; i < hms.size(); ++i) {
    const auto number = base::parse_int(s.substr(i * 3, 2));
    if (!number) {
      return "invalid hour/min/sec";
    }
    if (*number < 0) {
      return "non-positive hour/min/sec";
    }
    hms[i] = *number;
  }
  if (hms[0] > 23 || hms[1] > 59 || hms[2] > 60) {
    return "hour/min/sec out of range";
  }
  s.remove_prefix(8);
  if (s.starts_with('.')) {
    const size_t digits = leading_digits(s.substr(1));
    if (digits == 0) {
      return "no digits in second fraction";
    }
    s.remove_prefix(1 + digits);
  }
  std::string why;
  const auto offset = offset_minutes(s, why);
  if (!offset) {
    return why;
  }
  int64_t minutes = hms[0] * 60 + hms[1] + *offset;
  minutes += minutes < 0 ? 24 * 60 : 0;
  if (hms[2] >= 60 && minutes != 23 * 60 + 59) {
    return "invalid leap second";
  }
  return {};
}

Verdict date_time(std::string_view s) {
  if (s.size() < 20) {
    return "less than 20 characters long";
  }
  if (s[10] != 't' && s[10] != 'T') {
    return "11th character must be t or T";
  }
  if (Verdict verdict = date(s.substr(0, 10))) {
    return "invalid date element: " + *verdict;
  }
  return prefixed("invalid time element: ", time_of_day(s.substr(11)));
}

Verdict period(std::string_view s) {
  const size_t slash = s.find('/');
  if (slash == std::string_view::npos) {
    return "missing slash";
  }
  const std::string_view start = s.substr(0, slash);
  const std::string_view end = s.substr(slash + 1);
  if (start.starts_with('P')) {
    if (Verdict verdict = duration(start)) {
      return "invalid start duration: " + *verdict;
    }
    return prefixed("invalid end date-time: ", date_time(end));
  }
  if (Verdict verdict = date_time(start)) {
    return "invalid start date-time: " + *verdict;
  }
  return end.starts_with('P') ? prefixed("invalid end duration: ", duration(end))
                              : prefixed("invalid end date-time: ", date_time(end));
}

/// Checks for characters that a host name must not contain.
Verdict url_host(std::string_view s) {
  const size_t slashes = s.find("//");
  if (slashes == std::string_view::npos || slashes > s.find_first_of("?#")) {
    return {};
  }
  std::string_view host = s.substr(slashes + 2);
  host = host.substr(0, host.find_first_of("/?#"));
  host = host.substr(host.rfind('@') + 1);
  for (size_t i = 0; i < host.size(); ++i) {
    constexpr std::string_view kAllowed = "-_.~!$&'()*+,;=:[]<>\"%";
    const char c = host[i];
    if (static_cast<unsigned char>(c) < 0x80 && !base::is_ascii_letter(c) &&
        !base::is_ascii_digit(c) && kAllowed.find(c) == std::string_view::npos) {
      return "invalid character " + go::quote(host.substr(i, 1)) + " in host name";
    }
  }
  return {};
}

/// Checks for syntax that Go's net/url always rejects.
Verdict url_syntax(std::string_view s) {
  const std::string context = "parse " + go::quote(s) + ": ";
  for (const char c : s) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      return context + "net/url: invalid control character in URL";
    }
  }
  const size_t colon = s.find(':');
  const size_t end = std::min(s.size(), s.find_first_of("/?#"));
  if (colon < end) {
    const std::string_view scheme = s.substr(0, colon);
    if (scheme.empty()) {
      return context + "missing protocol scheme";
    }
    const bool valid = base::is_ascii_letter(scheme.front()) &&
                       std::all_of(scheme.begin(), scheme.end(), [](char c) {
                         return base::is_ascii_alphanumeric(c) || c == '+' || c == '-' || c == '.';
                       });
    if (!valid) {
      return context + "first path segment in URL cannot contain colon";
    }
  }
  for (size_t at = s.find('%'); at != std::string_view::npos; at = s.find('%', at + 1)) {
    if (at + 2 >= s.size() || !base::is_ascii_hex_digit(s[at + 1]) ||
        !base::is_ascii_hex_digit(s[at + 2])) {
      return context + "invalid URL escape " + go::quote(s.substr(at, 3));
    }
  }
  return prefixed(context, url_host(s));
}

Verdict uri(std::string_view s) {
  if (Verdict verdict = url_syntax(s)) {
    return verdict;
  }
  const bool absolute = s.find(':') < s.find_first_of("/?#");
  return absolute ? Verdict() : Verdict("relative url");
}

Verdict uri_reference(std::string_view s) {
  return s.find('\\') != std::string_view::npos ? Verdict("contains \\") : url_syntax(s);
}

Verdict regex(std::string_view s) {
  const auto compiled = go::Regexp::compile(s);
  return compiled.ok() ? Verdict() : Verdict(compiled.error().message());
}

struct Format {
  std::string_view name;
  Verdict (*check)(std::string_view);
};

constexpr std::array<Format, 16> kFormats = {{
    {"regex", regex},
    {"json-pointer", json_pointer},
    {"relative-json-pointer", relative_json_pointer},
    {"uuid", uuid},
    {"duration", duration},
    {"period", period},
    {"ipv4", ipv4},
    {"ipv6", ipv6},
    {"hostname", hostname},
    {"date", date},
    {"time", time_of_day},
    {"date-time", date_time},
    {"uri", uri},
    {"iri", uri},
    {"uri-reference", uri_reference},
    {"iri-reference", uri_reference},
}};

}  // namespace

std::optional<std::string> format_fault(std::string_view format, const value::Value& v,
                                        SchemaRelease release) {
  if (!v.is_string()) {
    return std::nullopt;
  }
  if (format == "email") {
    return email(v.as_string(), release);
  }
  const auto* found = std::find_if(kFormats.begin(), kFormats.end(),
                                   [format](const Format& f) { return f.name == format; });
  return found != kFormats.end() ? found->check(v.as_string()) : std::nullopt;
}

}  // namespace chartwright::helm
