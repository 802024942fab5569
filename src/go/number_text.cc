// SPDX-License-Identifier: Apache-2.0
#include "go/number_text.h"

#include "base/ascii.h"

namespace chartwright::go {
namespace {

/// Returns the base that a letter after 0 stands for, or 0.
int base_of_prefix(char letter) {
  switch (base::to_ascii_lower(letter)) {
    case 'b':
      return 2;
    case 'o':
      return 8;
    case 'x':
      return 16;
    default:
      return 0;
  }
}

}  // namespace

int take_base_prefix(std::string_view& digits) {
  if (!digits.starts_with('0')) {
    return 10;
  }
  const int base = digits.size() >= 3 ? base_of_prefix(digits[1]) : 0;
  if (base != 0) {
    digits.remove_prefix(2);
    return base;
  }
  if (digits.size() > 1) {  // A 0 alone is a digit.
    digits.remove_prefix(1);
  }
  return 8;
}

bool has_proper_underscores(std::string_view number) {
  if (number.starts_with('-') || number.starts_with('+')) {
    number.remove_prefix(1);
  }
  const int base = number.size() >= 2 && number[0] == '0' ? base_of_prefix(number[1]) : 0;
  enum class Seen { kStart, kDigit, kUnderscore, kOther };
  Seen seen = base != 0 ? Seen::kDigit : Seen::kStart;
  for (const char c : number.substr(base != 0 ? 2 : 0)) {
    if (base::is_ascii_digit(c) || (base == 16 && base::is_ascii_hex_digit(c))) {
      seen = Seen::kDigit;
    } else if (c == '_') {
      if (seen != Seen::kDigit) {
        return false;
      }
      seen = Seen::kUnderscore;
    } else {
      if (seen == Seen::kUnderscore) {
        return false;
      }
      seen = Seen::kOther;
    }
  }
  return seen != Seen::kUnderscore;
}

std::string without_underscores(std::string_view number) {
  std::string plain(number);
  std::erase(plain, '_');
  return plain;
}

}  // namespace chartwright::go
