// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "base/unicode.h"
#include "yaml/scanner.h"

// Block, quoted and plain scalars.
namespace chartwright::yaml {
namespace {

// The value of a hexadecimal digit, or -1.
int hex_value(unsigned char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const int lower = c | 0x20;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// What a one-letter escape stands for; false if the letter is none.
bool append_escape(unsigned char letter, std::string& out) {
  constexpr std::string_view kLetters = "0abt\tnvfre \"'\\N_LP";
  constexpr char32_t kRunes[] = {0,    7,   8,   '\t', '\t', '\n', 0x0B, 0x0C,   '\r',
                                 0x1B, ' ', '"', '\'', '\\', 0x85, 0xA0, 0x2028, 0x2029};
  const size_t at = letter == 0 ? std::string_view::npos : kLetters.find(static_cast<char>(letter));
  if (at == std::string_view::npos) {
    return false;
  }
  base::append_rune(out, kRunes[at]);
  return true;
}

}  // namespace

void YamlScanner::Gap::add_blank(std::string_view blank) {
  if (!has_break) {
    spaces = {spaces.empty() ? blank.data() : spaces.data(), spaces.size() + blank.size()};
  }
}

void YamlScanner::Gap::add_break(std::string_view text) {
  if (has_break) {
    more_breaks.append(text);
  } else {
    first_break = text;
  }
  has_break = true;
}

void YamlScanner::Gap::close(YamlText& out) {
  if (!has_break) {
    out.append(spaces);
    spaces = {};
    return;
  }
  if (!first_break.starts_with('\n')) {
    // U+2028 and U+2029 are not folded.
    out.copy().append(first_break).append(more_breaks.view());
  } else {
    out.copy() += more_breaks.view().empty() ? " " : more_breaks.view();
  }
  *this = {};
}

bool YamlScanner::fetch_block_scalar() {
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = true;
  const bool literal = source_.is('|');
  YamlToken token = take_indicator(YamlTokenKind::kScalar, 1);
  BlockHeader header;
  YamlText text;
  if (!scan_block_header(token.start, header) || !finish_line(token.start) ||
      !scan_block_text(token.start, literal, header, text)) {
    return false;
  }
  token.text = keep(std::move(text));
  token.end = source_.mark();
  push(token);
  return true;
}

// Chomping and indentation indicator, in either order.
bool YamlScanner::scan_block_header(const YamlMark& start, BlockHeader& header) {
  if (!need(1)) {
    return false;
  }
  if (source_.is('+') || source_.is('-')) {
    return scan_chomping(header) && scan_block_increment(start, header);
  }
  return scan_block_increment(start, header) && (header.increment == 0 || scan_chomping(header));
}

bool YamlScanner::scan_chomping(BlockHeader& header) {
  if (!source_.is('+') && !source_.is('-')) {
    return true;
  }
  header.chomping = source_.is('+') ? Chomping::kKeep : Chomping::kStrip;
  return next();
}

bool YamlScanner::scan_block_increment(const YamlMark& start, BlockHeader& header) {
  if (source_.is('0')) {
    return fail(start, "found an indentation indicator equal to 0");
  }
  if (source_.at() < '1' || source_.at() > '9') {
    return true;
  }
  header.increment = source_.at() - '0';
  return next();
}

bool YamlScanner::scan_block_text(const YamlMark& start, bool literal, const BlockHeader& header,
                                  YamlText& out) {
  int indent = header.increment == 0 ? 0 : std::max(indent_, 0) + header.increment;
  std::string_view first_break;
  YamlText more_breaks;
  bool after_blank = false;
  if (!scan_block_breaks(start, indent, more_breaks) || !need(1)) {
    return false;
  }
  while (source_.mark().column == indent && source_.at() != 0) {
    // Folding joins lines, but not those that start with white space.
    const bool before_blank = source_.is_blank();
    if (!literal && !after_blank && !before_blank && first_break.starts_with('\n')) {
      out.copy() += more_breaks.view().empty() ? " " : "";
    } else {
      out.append(first_break);
    }
    out.append(more_breaks);
    more_breaks = {};
    after_blank = before_blank;
    while (!source_.is_break_or_end()) {
      const std::string_view run = source_.read_run(YamlRun::kLine, 1);
      out.append(run.empty() ? source_.read() : run);
      if (!need(1)) {
        return false;
      }
    }
    if (!need(2)) {
      return false;
    }
    first_break = source_.read_break();
    if (!scan_block_breaks(start, indent, more_breaks)) {
      return false;
    }
  }
  out.append(header.chomping == Chomping::kStrip ? "" : first_break);
  out.append(header.chomping == Chomping::kKeep ? more_breaks : YamlText());
  return true;
}

// Skips empty lines and the indentation of the next line with text, which settles the indentation
// of the scalar where its header does not (`indent` 0).
bool YamlScanner::scan_block_breaks(const YamlMark& start, int& indent, YamlText& breaks) {
  int deepest = 0;
  for (;;) {
    if (!need(1)) {
      return false;
    }
    while ((indent == 0 || source_.mark().column < indent) && source_.is(' ')) {
      if (!next()) {
        return false;
      }
    }
    deepest = std::max(deepest, source_.mark().column);
    if ((indent == 0 || source_.mark().column < indent) && source_.is('\t')) {
      return fail(start, "found a tab character where an indentation space is expected");
    }
    if (!source_.is_break()) {
      break;
    }
    if (!need(2)) {
      return false;
    }
    breaks.append(source_.read_break());
  }
  if (indent == 0) {
    indent = std::max({deepest, indent_ + 1, 1});
  }
  return true;
}

bool YamlScanner::fetch_quoted_scalar() {
  if (!save_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  const char quote = static_cast<char>(source_.at());
  YamlToken token = take_indicator(YamlTokenKind::kScalar, 1);
  YamlText text;
  Gap gap;
  for (;;) {
    if (!need(4)) {
      return false;
    }
    if (source_.is_document_indicator()) {
      return fail(token.start, "found unexpected document indicator");
    }
    if (source_.at() == 0) {
      return fail(token.start, "found unexpected end of stream");
    }
    if (!scan_quoted_word(token.start, quote, text, gap) || !need(1)) {
      return false;
    }
    if (source_.is(quote)) {
      break;
    }
    if (!scan_quoted_gap(gap)) {
      return false;
    }
    gap.close(text);
  }
  source_.skip();
  token.text = keep(std::move(text));
  token.end = source_.mark();
  push(token);
  return true;
}

// Reads up to white space or the closing quote. An escaped line break opens a gap of no width.
bool YamlScanner::scan_quoted_word(const YamlMark& start, char quote, YamlText& out, Gap& gap) {
  const bool single = quote == '\'';
  while (!source_.is_blank_or_end()) {
    if (single && source_.is('\'') && source_.is('\'', 1)) {
      out.append(source_.read());
      source_.skip();
    } else if (source_.is(quote)) {
      return true;
    } else if (!single && source_.is('\\') && source_.is_break(1)) {
      if (!need(3)) {
        return false;
      }
      source_.skip();
      source_.skip_break();
      gap.has_break = true;
      return true;
    } else if (!single && source_.is('\\')) {
      if (!scan_escape(start, out.copy())) {
        return false;
      }
    } else {
      const std::string_view run = source_.read_run(YamlRun::kQuoted, 2);
      out.append(run.empty() ? source_.read() : run);
    }
    if (!need(2)) {
      return false;
    }
  }
  return true;
}

bool YamlScanner::scan_escape(const YamlMark& start, std::string& out) {
  const unsigned char letter = source_.at(1);
  const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  if (digits == 0 && !append_escape(letter, out)) {
    return fail(start, "found unknown escape character");
  }
  source_.skip();
  source_.skip();
  return digits == 0 || scan_code_point(start, digits, out);
}

bool YamlScanner::scan_code_point(const YamlMark& start, size_t digits, std::string& out) {
  if (!need(digits)) {
    return false;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int digit = hex_value(source_.at(i));
    if (digit < 0) {
      return fail(start, "did not find expected hexdecimal number");
    }
    value = value << 4 | static_cast<uint64_t>(digit);
  }
  if ((value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) {
    return fail(start, "found invalid Unicode character escape code");
  }
  base::append_rune(out, static_cast<char32_t>(value));
  for (size_t i = 0; i < digits; ++i) {
    source_.skip();
  }
  return true;
}

bool YamlScanner::scan_quoted_gap(Gap& gap) {
  while (source_.is_blank() || source_.is_break()) {
    if (source_.is_blank()) {
      gap.add_blank(source_.read());
    } else {
      if (!need(2)) {
        return false;
      }
      gap.add_break(source_.read_break());
    }
    if (!need(1)) {
      return false;
    }
  }
  return true;
}

bool YamlScanner::fetch_plain_scalar() {
  if (!save_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  YamlToken token = token_here(YamlTokenKind::kScalar);
  token.plain = true;
  YamlText text;
  const int indent = indent_ + 1;
  Gap gap;
  for (;;) {
    if (!need(4)) {
      return false;
    }
    if (source_.is_document_indicator() || source_.is('#')) {
      break;
    }
    while (!source_.is_blank_or_end() && !ends_plain()) {
      gap.close(text);
      const std::string_view run = source_.read_run(YamlRun::kPlain, 2);
      text.append(run.empty() ? source_.read() : run);
      token.end = source_.mark();
      if (!need(2)) {
        return false;
      }
    }
    if (!source_.is_blank() && !source_.is_break()) {
      break;
    }
    if (!scan_plain_gap(token.start, indent, gap)) {
      return false;
    }
    if (flow_level_ == 0 && source_.mark().column < indent) {
      break;
    }
  }
  // A line break was passed, so the next token may be a key.
  simple_key_allowed_ = gap.has_break;
  token.text = keep(std::move(text));
  push(token);
  return true;
}

// ": " ends a plain scalar anywhere, punctuation of flow collections inside of one.
bool YamlScanner::ends_plain() const {
  if (source_.is(':') && source_.is_blank_or_end(1)) {
    return true;
  }
  constexpr std::string_view kFlowIndicators = ",?[]{}";
  return flow_level_ > 0 &&
         kFlowIndicators.find(static_cast<char>(source_.at())) != std::string_view::npos;
}

bool YamlScanner::scan_plain_gap(const YamlMark& start, int indent, Gap& gap) {
  while (source_.is_blank() || source_.is_break()) {
    if (gap.has_break && source_.mark().column < indent && source_.is('\t')) {
      return fail(start, "found a tab character that violates indentation");
    }
    if (source_.is_blank()) {
      gap.add_blank(source_.read());
    } else {
      if (!need(2)) {
        return false;
      }
      gap.add_break(source_.read_break());
    }
    if (!need(1)) {
      return false;
    }
  }
  return true;
}

}  // namespace chartwright::yaml
