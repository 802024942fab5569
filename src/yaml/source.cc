// SPDX-License-Identifier: Apache-2.0
#include "yaml/source.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/unicode.h"

namespace chartwright::yaml {
namespace {

// go-yaml reads and checks its input in pieces of this many bytes.
constexpr size_t kPieceBytes = 512;
constexpr std::string_view kLittleEndianMark = "\xFF\xFE";
constexpr std::string_view kBigEndianMark = "\xFE\xFF";

constexpr uint8_t bit(Run run) { return static_cast<uint8_t>(1U << static_cast<unsigned>(run)); }

// The runs that each byte may be part of, as a set of bits.
constexpr std::array<uint8_t, 256> kRunsOf = [] {
  std::array<uint8_t, 256> runs{};
  runs['\t'] = bit(Run::kLine);
  runs[' '] = bit(Run::kLine) | bit(Run::kSpaces);
  for (size_t c = '!'; c <= '~'; ++c) {
    runs[c] = bit(Run::kLine) | bit(Run::kPlain) | bit(Run::kQuoted);
  }
  for (const char c : std::string_view(":,?[]{}")) {
    runs[static_cast<unsigned char>(c)] &= static_cast<uint8_t>(~bit(Run::kPlain));
  }
  for (const char c : std::string_view("'\"\\")) {
    runs[static_cast<unsigned char>(c)] &= static_cast<uint8_t>(~bit(Run::kQuoted));
  }
  return runs;
}();

// Counts the bytes at the start of a text that are YAML characters regardless of what follows;
// nearly all are.
size_t count_usual(std::string_view text) {
  const auto is_usual = [](char c) {
    return c == '\n' || (kRunsOf[static_cast<unsigned char>(c)] & bit(Run::kLine)) != 0;
  };
  const auto end = std::find_if_not(text.begin(), text.end(), is_usual);
  return static_cast<size_t>(end - text.begin());
}

// Returns the length of a UTF-8 sequence with this first byte, or 0 if there is none.
size_t sequence_width(unsigned char first) {
  if ((first & 0x80) == 0) {
    return 1;
  }
  if ((first & 0xE0) == 0xC0) {
    return 2;
  }
  if ((first & 0xF0) == 0xE0) {
    return 3;
  }
  return (first & 0xF8) == 0xF0 ? 4 : 0;
}

char32_t decode(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) {
    return first;
  }
  char32_t value = first & (0x7FU >> sequence.size());
  for (char c : sequence.substr(1)) {
    value = value << 6 | (static_cast<unsigned char>(c) & 0x3F);
  }
  return value;
}

// Returns why a sequence of the right shape is not a YAML character; empty if it is one.
std::string_view objection(char32_t value, size_t width) {
  const bool too_long = (width == 2 && value < 0x80) || (width == 3 && value < 0x800) ||
                        (width == 4 && value < 0x10000);
  if (too_long) {
    return "invalid length of a UTF-8 sequence";
  }
  if ((value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) {
    return "invalid Unicode character";
  }
  const bool allowed = value == '\t' || value == '\n' || value == '\r' ||
                       (value >= 0x20 && value <= 0x7E) || value == 0x85 ||
                       (value >= 0xA0 && value <= 0xFFFD) || value >= 0x10000;
  return allowed ? "" : "control characters are not allowed";
}

struct Transcoded {
  std::string text;
  std::string_view problem;
};

// Converts UTF-16 (without its byte order mark) to UTF-8, up to the first malformed character.
Transcoded from_utf16(std::string_view bytes, size_t low) {
  Transcoded out;
  const auto unit = [&](size_t at) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[at + low]) |
                                 static_cast<unsigned char>(bytes[at + 1 - low]) << 8);
  };
  for (size_t at = 0; at < bytes.size(); at += 2) {
    if (bytes.size() - at < 2) {
      out.problem = "incomplete UTF-16 character";
      return out;
    }
    char32_t value = unit(at);
    if ((value & 0xFC00) == 0xDC00) {
      out.problem = "unexpected low surrogate area";
      return out;
    }
    if ((value & 0xFC00) == 0xD800) {
      at += 2;
      if (bytes.size() - at < 2) {
        out.problem = "incomplete UTF-16 surrogate pair";
        return out;
      }
      if ((unit(at) & 0xFC00) != 0xDC00) {
        out.problem = "expected low surrogate area";
        return out;
      }
      value = 0x10000 + ((value & 0x3FF) << 10) + (unit(at) & 0x3FF);
    }
    base::append_rune(out.text, value);
  }
  return out;
}

}  // namespace

Source::Source(std::string_view text) : text_(text) {
  const bool little = text.starts_with(kLittleEndianMark);
  if (little || text.starts_with(kBigEndianMark)) {
    Transcoded transcoded = from_utf16(text.substr(2), little ? 0 : 1);
    transcoded_ = std::move(transcoded.text);
    late_problem_ = transcoded.problem;
    text_ = transcoded_;
  }
  piece_end_ = std::min(text_.size(), kPieceBytes);
  if (text_.starts_with(base::kByteOrderMark) && transcoded_.empty()) {
    position_ = checked_ = window_start_ = base::kByteOrderMark.size();
  }
}

bool Source::fail(std::string_view problem) {
  problem_ = problem;
  return false;
}

bool Source::load(size_t count) {
  window_start_ = position_;
  bool first = true;
  while (unread_ < count) {
    if (!first || checked_ == piece_end_) {
      eof_ = eof_ || piece_end_ == text_.size();
      piece_end_ = std::min(text_.size(), checked_ + kPieceBytes);
    }
    first = false;
    if (!check_piece()) {
      return false;
    }
    if (eof_) {
      if (!late_problem_.empty()) {
        return fail(late_problem_);
      }
      ++unread_;  // The NUL that ends the text.
      return true;
    }
  }
  return true;
}

// Checks whole characters up to the end of the piece.
bool Source::check_piece() {
  for (;;) {
    const size_t usual = count_usual(text_.substr(checked_, piece_end_ - checked_));
    checked_ += usual;
    unread_ += usual;
    if (checked_ == piece_end_) {
      return true;
    }
    const auto first = static_cast<unsigned char>(text_[checked_]);
    const size_t width = sequence_width(first);
    if (width == 0) {
      return fail("invalid leading UTF-8 octet");
    }
    if (width > piece_end_ - checked_) {
      return eof_ ? fail("incomplete UTF-8 octet sequence") : true;
    }
    const std::string_view sequence = text_.substr(checked_, width);
    if (!std::all_of(sequence.begin() + 1, sequence.end(), base::is_utf8_continuation)) {
      return fail("invalid trailing UTF-8 octet");
    }
    if (const std::string_view why = objection(decode(sequence), width); !why.empty()) {
      return fail(why);
    }
    checked_ += width;
    ++unread_;
  }
}

bool Source::is_break(size_t offset) const {
  switch (at(offset)) {
    case '\r':
    case '\n':
      return true;
    case 0xC2:
      return at(offset + 1) == 0x85;
    case 0xE2:
      return at(offset + 1) == 0x80 && (at(offset + 2) == 0xA8 || at(offset + 2) == 0xA9);
    default:
      return false;
  }
}

bool Source::is_document_indicator() const {
  const bool dashes = is('-') && is('-', 1) && is('-', 2);
  const bool dots = is('.') && is('.', 1) && is('.', 2);
  return mark_.column == 0 && (dashes || dots) && is_blank_or_end(3);
}

// go-yaml checks the start of its buffer here, regardless of the scanner's position in it.
bool Source::is_byte_order_mark() const {
  return mark_.column == 0 &&
         text_.substr(std::min(window_start_, text_.size())).starts_with(base::kByteOrderMark);
}

size_t Source::width() const { return at_end() ? 1 : sequence_width(at()); }

void Source::end_line() {
  if (mark_.column != 0) {
    mark_.column = 0;
    ++mark_.line;
  }
}

void Source::skip() {
  position_ += width();
  --unread_;
  ++mark_.index;
  ++mark_.column;
}

std::string_view Source::read() {
  const std::string_view character = text_.substr(position_, width());
  skip();
  return character;
}

size_t Source::run_length(Run run, size_t ahead) const {
  const size_t most = unread_ > ahead ? std::min(unread_ - ahead, checked_ - position_) : 0;
  size_t length = 0;
  while (length < most &&
         (kRunsOf[static_cast<unsigned char>(text_[position_ + length])] & bit(run)) != 0) {
    ++length;
  }
  return length;
}

void Source::skip_ascii(size_t count) {
  position_ += count;
  unread_ -= count;
  mark_.index += count;
  mark_.column += static_cast<int>(count);
}

std::string_view Source::read_run(Run run, size_t ahead) {
  const std::string_view text = text_.substr(position_, run_length(run, ahead));
  skip_ascii(text.size());
  return text;
}

std::string_view Source::read_break() {
  if (!is_break()) {
    return {};
  }
  if (is('\r') && is('\n', 1)) {
    skip();
  }
  const bool is_normal = is('\n') || at() == 0xE2;
  const std::string_view text = read();
  mark_.column = 0;
  ++mark_.line;
  return is_normal ? text : "\n";
}

}  // namespace chartwright::yaml
