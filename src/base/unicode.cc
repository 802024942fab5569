// SPDX-License-Identifier: Apache-2.0
#include "base/unicode.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/unicode_tables.h"

namespace chartwright::base {
namespace {

// In the order that the table generator uses.
enum RuneClass : unsigned {
  kUpper = 1,
  kLower = 2,
  kTitle = 4,
  kLetter = 8,
  kDigit = 16,
  kNumber = 32,
  kSpace = 64,
  kPunct = 128,
  kPrint = 256,
};

constexpr char32_t kRuneMax = 0x10FFFF;

bool has_class(char32_t rune, RuneClass wanted) {
  if (rune > kRuneMax) {
    return false;
  }
  const uint32_t past_rune = (static_cast<uint32_t>(rune) + 1) << kRuneClassBits;
  const uint32_t* next = std::lower_bound(kRuneRuns, kRuneRuns + kRuneRunCount, past_rune);
  return (next[-1] & wanted) != 0;
}

// Most text is ASCII, which needs no table.
bool is_ascii(char32_t rune) { return rune < 0x80; }

char32_t ascii_upper(char32_t rune) { return is_ascii_lower(rune) ? rune - 'a' + 'A' : rune; }

// In an alternating range, even offsets are upper (and title) case, odd ones lower case.
char32_t apply_case(char32_t rune, int32_t CaseRange::*delta) {
  const CaseRange* end = kCaseRanges + kCaseRangeCount;
  const CaseRange* range =
      std::lower_bound(kCaseRanges, end, static_cast<uint32_t>(rune),
                       [](const CaseRange& c, uint32_t r) { return c.high < r; });
  if (range == end || rune < range->low) {
    return rune;
  }
  if (range->*delta == kUpperLower) {
    const char32_t offset = (rune - range->low) & ~char32_t{1};
    return range->low + offset + (delta == &CaseRange::to_lower ? 1 : 0);
  }
  return static_cast<char32_t>(static_cast<int32_t>(rune) + range->*delta);
}

// Describes the first byte of a sequence: length of the sequence in bytes (0 = not a first byte),
// payload bits, and the smallest code point allowed at that length.
struct Lead {
  size_t size;
  char32_t payload;
  char32_t least;
};

Lead lead_of(unsigned char c) {
  if (c < 0x80U) {
    return {1, c, 0};
  }
  if (c >= 0xC2U && c <= 0xDFU) {
    return {2, c & 0x1FU, 0x80};
  }
  if ((c & 0xF0U) == 0xE0U) {
    return {3, c & 0x0FU, 0x800};
  }
  if (c >= 0xF0U && c <= 0xF4U) {
    return {4, c & 0x07U, 0x10000};
  }
  return {0, 0, 0};
}

bool is_surrogate(char32_t rune) { return rune >= 0xD800 && rune <= 0xDFFF; }

}  // namespace

DecodedRune decode_rune(std::string_view text) {
  if (text.empty()) {
    return {kRuneError, 0};
  }
  const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.size == 0 || text.size() < lead.size) {
    return {kRuneError, 1};
  }
  char32_t rune = lead.payload;
  for (size_t i = 1; i < lead.size; ++i) {
    if (!is_utf8_continuation(text[i])) {
      return {kRuneError, 1};
    }
    rune = (rune << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  if (rune < lead.least || rune > kRuneMax || is_surrogate(rune)) {
    return {kRuneError, 1};
  }
  return {rune, lead.size};
}

DecodedRune decode_last_rune(std::string_view text) {
  const bool is_ascii = text.empty() || static_cast<unsigned char>(text.back()) < 0x80U;
  for (size_t size = is_ascii ? 1 : std::min<size_t>(4, text.size()); size > 1; --size) {
    const DecodedRune tail = decode_rune(text.substr(text.size() - size));
    if (tail.size == size) {
      return tail;
    }
  }
  return text.empty() ? decode_rune(text) : decode_rune(text.substr(text.size() - 1));
}

void append_rune(std::string& out, char32_t rune) {
  if (rune > kRuneMax || is_surrogate(rune)) {
    rune = kRuneError;
  }
  const auto tail = [&out, rune](unsigned shift) {
    out += static_cast<char>(0x80U | ((rune >> shift) & 0x3FU));
  };
  if (rune < 0x80) {
    out += static_cast<char>(rune);
  } else if (rune < 0x800) {
    out += static_cast<char>(0xC0U | (rune >> 6U));
    tail(0);
  } else if (rune < 0x10000) {
    out += static_cast<char>(0xE0U | (rune >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (rune >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

size_t rune_count(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) {
    text.remove_prefix(decode_rune(text).size);
  }
  return count;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    if (is_ascii(static_cast<unsigned char>(text[0]))) {
      text.remove_prefix(1);
      continue;
    }
    const DecodedRune next = decode_rune(text);
    if (next.rune == kRuneError && next.size == 1) {
      return false;
    }
    text.remove_prefix(next.size);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const DecodedRune decoded = decode_rune(text);
    append_rune(out, decoded.rune);
    text.remove_prefix(decoded.size);
  }
  return out;
}

std::string shortened(std::string text, size_t max_bytes) {
  constexpr std::string_view kMark = "...";
  if (text.size() <= max_bytes) {
    return text;
  }
  size_t end = max_bytes - kMark.size();
  while (end > 0 && is_utf8_continuation(text[end])) {
    --end;
  }
  return text.replace(end, std::string::npos, kMark);
}

bool is_upper(char32_t rune) { return has_class(rune, kUpper); }
bool is_lower(char32_t rune) { return has_class(rune, kLower); }
bool is_title(char32_t rune) { return has_class(rune, kTitle); }
bool is_letter(char32_t rune) { return has_class(rune, kLetter); }
bool is_digit(char32_t rune) { return has_class(rune, kDigit); }
bool is_number(char32_t rune) { return has_class(rune, kNumber); }
bool is_space(char32_t rune) { return has_class(rune, kSpace); }
bool is_punct(char32_t rune) { return has_class(rune, kPunct); }
bool is_print(char32_t rune) { return has_class(rune, kPrint); }
char32_t to_upper(char32_t rune) {
  return is_ascii(rune) ? ascii_upper(rune) : apply_case(rune, &CaseRange::to_upper);
}
char32_t to_lower(char32_t rune) {
  return is_ascii(rune) ? to_ascii_lower(rune) : apply_case(rune, &CaseRange::to_lower);
}
char32_t to_title(char32_t rune) {
  return is_ascii(rune) ? ascii_upper(rune) : apply_case(rune, &CaseRange::to_title);
}

}  // namespace chartwright::base
