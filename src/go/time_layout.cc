// SPDX-License-Identifier: Apache-2.0
#include "go/time_layout.h"

#include "base/ascii.h"

namespace chartwright::go {
namespace {

struct Word {
  std::string_view text;
  LayoutPart part;
  // "Jan" and "Mon" are not parts if a lower-case letter follows, as in "January" or "Monkey".
  bool ends_word = false;
};

// In the order of matching: a longer word before its prefixes.
constexpr Word kWords[] = {
    {"January", LayoutPart::kLongMonth},
    {"Jan", LayoutPart::kMonth, true},
    {"Monday", LayoutPart::kLongWeekDay},
    {"Mon", LayoutPart::kWeekDay, true},
    {"MST", LayoutPart::kZoneName},
    {"01", LayoutPart::kZeroMonth},
    {"02", LayoutPart::kZeroDay},
    {"03", LayoutPart::kZeroHour12},
    {"04", LayoutPart::kZeroMinute},
    {"05", LayoutPart::kZeroSecond},
    {"06", LayoutPart::kYear},
    {"002", LayoutPart::kZeroYearDay},
    {"15", LayoutPart::kHour},
    {"1", LayoutPart::kNumMonth},
    {"2006", LayoutPart::kLongYear},
    {"2", LayoutPart::kDay},
    {"_2", LayoutPart::kUnderDay},
    {"__2", LayoutPart::kUnderYearDay},
    {"3", LayoutPart::kHour12},
    {"4", LayoutPart::kMinute},
    {"5", LayoutPart::kSecond},
    {"PM", LayoutPart::kUpperPm},
    {"pm", LayoutPart::kLowerPm},
};

struct OffsetWord {
  std::string_view text;  // After the sign or Z.
  OffsetForm form;
};

constexpr OffsetWord kOffsets[] = {
    {"070000", {false, false, true, true}}, {"07:00:00", {false, true, true, true}},
    {"0700", {false, false, true, false}},  {"07:00", {false, true, true, false}},
    {"07", {false, false, false, false}},
};

// Reads ".000" or ",999": repeated digits not followed by another digit.
bool read_fraction(std::string_view rest, LayoutChunk& chunk) {
  if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',') || (rest[1] != '0' && rest[1] != '9')) {
    return false;
  }
  size_t end = 1;
  while (end < rest.size() && rest[end] == rest[1]) {
    ++end;
  }
  if (end < rest.size() && base::is_ascii_digit(rest[end])) {
    return false;
  }
  chunk.part = LayoutPart::kFraction;
  chunk.text = rest.substr(0, end);
  chunk.fraction = {rest[0], end - 1, rest[1] == '9'};
  return true;
}

bool read_offset(std::string_view rest, LayoutChunk& chunk) {
  if (rest[0] != '-' && rest[0] != 'Z') {
    return false;
  }
  for (const OffsetWord& word : kOffsets) {
    if (rest.substr(1).starts_with(word.text)) {
      chunk.part = LayoutPart::kOffset;
      chunk.text = rest.substr(0, 1 + word.text.size());
      chunk.offset = word.form;
      chunk.offset.z_for_utc = rest[0] == 'Z';
      return true;
    }
  }
  return false;
}

bool read_word(std::string_view rest, LayoutChunk& chunk) {
  for (const Word& word : kWords) {
    if (!rest.starts_with(word.text)) {
      continue;
    }
    const std::string_view after = rest.substr(word.text.size());
    if (word.ends_word && !after.empty() && base::is_ascii_lower(after[0])) {
      continue;
    }
    chunk.part = word.part;
    chunk.text = rest.substr(0, word.text.size());
    return true;
  }
  return false;
}

}  // namespace

LayoutChunk next_chunk(std::string_view& layout) {
  LayoutChunk chunk;
  for (size_t i = 0; i < layout.size(); ++i) {
    const std::string_view rest = layout.substr(i);
    // "_2006" is an underscore before a year, not a day.
    if (rest.starts_with("_2006")) {
      continue;
    }
    if (read_word(rest, chunk) || read_offset(rest, chunk) || read_fraction(rest, chunk)) {
      chunk.literal = layout.substr(0, i);
      layout.remove_prefix(i + chunk.text.size());
      return chunk;
    }
  }
  chunk.literal = layout;
  layout = {};
  return chunk;
}

}  // namespace chartwright::go
