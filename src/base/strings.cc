// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/ascii.h"
#include "base/check.h"
#include "base/unicode.h"

namespace chartwright::base {
namespace {

// Longer words are not typing errors, and the cost is the product of the lengths.
constexpr size_t kNearestMaxLength = 128;

std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

// Levenshtein distance in which swapping two adjacent characters, the most common slip of the hand,
// counts once. Keeps three rows.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substitute, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  parts.reserve(static_cast<size_t>(std::count(text.begin(), text.end(), separator)) + 1);
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      out += separator;
    }
    out += parts[i];
  }
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty()) {
    const DecodedRune first = decode_rune(text);
    if (!is_space(first.rune)) {
      break;
    }
    text.remove_prefix(first.size);
  }
  while (!text.empty()) {
    const DecodedRune last = decode_last_rune(text);
    if (!is_space(last.rune)) {
      break;
    }
    text.remove_suffix(last.size);
  }
  return text;
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_ascii_digit<char>);
}

std::string quote_bytes(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || byte < 0x20) {
      out += "\\x";
      out += kHexDigits[byte >> 4];
      out += kHexDigits[byte & 0xF];
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

std::string to_lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = to_ascii_lower(c);
  }
  return out;
}

void append_percent_encoded(std::string& out, char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto bits = static_cast<unsigned char>(byte);
  out += {'%', kDigits[bits >> 4U], kDigits[bits & 0xFU]};
}

std::optional<int64_t> parse_int(std::string_view text) {
  text = without_plus(text);
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return number;
}

std::optional<double> parse_double(std::string_view text) {
  std::string_view magnitude = without_plus(text);
  const bool negative = magnitude.starts_with('-');
  magnitude.remove_prefix(negative ? 1 : 0);
  const bool hex = magnitude.starts_with("0x") || magnitude.starts_with("0X");
  magnitude.remove_prefix(hex ? 2 : 0);
  if (magnitude.starts_with('-')) {
    return std::nullopt;
  }
  double number = 0;
  const char* end = magnitude.data() + magnitude.size();
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto [stop, error] = std::from_chars(magnitude.data(), end, number, format);
  if (error != std::errc() || stop != end || std::isnan(number)) {
    return std::nullopt;
  }
  return negative ? -number : number;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  CW_CHECK(!from.empty());
  std::string out;
  while (true) {
    const size_t at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) {
      return out;
    }
    out += to;
    text.remove_prefix(at + from.size());
  }
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kNearestMaxLength) {
    return {};
  }
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  std::string_view best;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kNearestMaxLength) {
      continue;
    }
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace chartwright::base
