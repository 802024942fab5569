// SPDX-License-Identifier: Apache-2.0
#include "yaml/key_order.h"

#include <algorithm>
#include <cstdint>

#include "base/unicode.h"

namespace chartwright::yaml {
namespace {

// A run of digits: its number, which wraps as Go's int64 does, and its length.
struct DigitRun {
  uint64_t number = 0;
  size_t length = 0;

  void read(std::string_view text) {
    while (!text.empty()) {
      const auto [rune, size] = base::decode_rune(text);
      if (!base::is_digit(rune)) {
        return;
      }
      number = number * 10 + (static_cast<uint64_t>(rune) - '0');
      ++length;
      text.remove_prefix(size);
    }
  }
};

// Reports whether the digits at the end of `text` include one other than 0.
bool ends_in_significant_digits(std::string_view text) {
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && base::is_utf8_continuation(text[start])) {
      --start;
    }
    const char32_t rune = base::decode_rune(text.substr(start)).rune;
    if (!base::is_digit(rune)) {
      return false;
    }
    if (rune != '0') {
      return true;
    }
    text = text.substr(0, start);
  }
  return false;
}

// Returns the offset of the first code points that differ, or the shorter size if none do.
size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t shorter = std::min(a.size(), b.size());
  auto at = static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first -
      a.begin());
  while (at > 0 && at < shorter && base::is_utf8_continuation(a[at])) {
    --at;
  }
  return at;
}

}  // namespace

bool yaml_key_less(std::string_view a, std::string_view b) {
  const size_t at = common_prefix(a, b);
  if (at == std::min(a.size(), b.size())) {
    return a.size() < b.size();
  }
  const std::string_view rest_a = a.substr(at);
  const std::string_view rest_b = b.substr(at);
  const char32_t rune_a = base::decode_rune(rest_a).rune;
  const char32_t rune_b = base::decode_rune(rest_b).rune;
  const bool letter_a = base::is_letter(rune_a);
  const bool letter_b = base::is_letter(rune_b);
  if (letter_a && letter_b) {
    return rune_a < rune_b;
  }
  if (letter_a || letter_b) {
    return letter_b;
  }
  DigitRun digits_a;
  DigitRun digits_b;
  if ((rune_a == '0' || rune_b == '0') && ends_in_significant_digits(a.substr(0, at))) {
    // The zero is inside a number: more digits make it larger.
    digits_a.number = 1;
    digits_b.number = 1;
  }
  digits_a.read(rest_a);
  digits_b.read(rest_b);
  if (digits_a.number != digits_b.number) {
    return static_cast<int64_t>(digits_a.number) < static_cast<int64_t>(digits_b.number);
  }
  if (digits_a.length != digits_b.length) {
    return digits_a.length < digits_b.length;
  }
  return rune_a < rune_b;
}

}  // namespace chartwright::yaml
