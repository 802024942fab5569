// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/unicode.h"
#include "yaml/scanner.h"

// Block, quoted and plain scalars.
namespace chartwright::yaml {
namespace {

// Returns the number of hexadecimal digits after \x, \u or \U; 0 for other escapes.
size_t escape_digits(unsigned char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return 0;
  }
}

// Appends the character of a one-letter escape. Returns false if the letter is not an escape.
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

void Scanner::Gap::add_blank(std::string_view blank) {
  if (!has_break) {
    spaces = {spaces.empty() ? blank.data() : spaces.data(), spaces.size() + blank.size()};
  }
}

void Scanner::Gap::add_break(std::string_view text) {
  if (has_break) {
    more_breaks.append(text);
  } else {
    first_break = text;
  }
  has_break = true;
}

void Scanner::Gap::close(Text& out) {
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

bool Scanner::fetch_block_scalar() {
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = true;
  const bool literal = source_.is('|');
  Token token = take_indicator(TokenKind::kScalar, 1);
  BlockHeader header;
  Text text;
  if (!scan_block_header(token.start, header) || !finish_line(token.start) ||
      !scan_block_text(token.start, literal, header, text)) {
    return false;
  }
  token.text = keep(std::move(text));
  token.end = source_.mark();
  push(token);
  return true;
}

// Scans the chomping and indentation indicators, in either order.
bool Scanner::scan_block_header(const Mark& start, BlockHeader& header) {
  if (!need(1)) {
    return false;
  }
  if (source_.is('+') || source_.is('-')) {
    return scan_chomping(header) && scan_block_increment(start, header);
  }
  return scan_block_increment(start, header) && (header.increment == 0 || scan_chomping(header));
}

bool Scanner::scan_chomping(BlockHeader& header) {
  if (!source_.is('+') && !source_.is('-')) {
    return true;
  }
  header.chomping = source_.is('+') ? Chomping::kKeep : Chomping::kStrip;
  return next();
}

bool Scanner::scan_block_increment(const Mark& start, BlockHeader& header) {
  if (source_.is('0')) {
    return fail(start, "found an indentation indicator equal to 0");
  }
  if (!base::is_ascii_digit(source_.at())) {
    return true;
  }
  header.increment = source_.at() - '0';
  return next();
}

bool Scanner::scan_block_text(const Mark& start, bool literal, const BlockHeader& header,
                              Text& out) {
  int indent = header.increment == 0 ? 0 : std::max(indent_, 0) + header.increment;
  std::string_view first_break;
  Text more_breaks;
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
      const std::string_view run = source_.read_run(Run::kLine, 1);
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
  out.append(header.chomping == Chomping::kKeep ? more_breaks : Text());
  return true;
}

// Skips empty lines and the indentation of the next line with text, which determines the
// indentation of the scalar if its header does not (`indent` 0).
bool Scanner::scan_block_breaks(const Mark& start, int& indent, Text& breaks) {
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

bool Scanner::fetch_quoted_scalar() {
  if (!save_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  const char quote = static_cast<char>(source_.at());
  Token token = take_indicator(TokenKind::kScalar, 1);
  Text text;
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

// Reads up to white space or the closing quote. An escaped line break starts a gap of no width.
bool Scanner::scan_quoted_word(const Mark& start, char quote, Text& out, Gap& gap) {
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
      const std::string_view run = source_.read_run(Run::kQuoted, 2);
      out.append(run.empty() ? source_.read() : run);
    }
    if (!need(2)) {
      return false;
    }
  }
  return true;
}

bool Scanner::scan_escape(const Mark& start, std::string& out) {
  const unsigned char letter = source_.at(1);
  const size_t digits = escape_digits(letter);
  if (digits == 0 && !append_escape(letter, out)) {
    return fail(start, "found unknown escape character");
  }
  source_.skip();
  source_.skip();
  return digits == 0 || scan_code_point(start, digits, out);
}

bool Scanner::scan_code_point(const Mark& start, size_t digits, std::string& out) {
  if (!need(digits)) {
    return false;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int digit = base::hex_digit_value(source_.at(i));
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

bool Scanner::scan_quoted_gap(Gap& gap) {
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

bool Scanner::fetch_plain_scalar() {
  if (!save_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  Token token = token_here(TokenKind::kScalar);
  token.plain = true;
  Text text;
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
      const std::string_view run = source_.read_run(Run::kPlain, 2);
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
  // After a line break, the next token may be a key.
  simple_key_allowed_ = gap.has_break;
  token.text = keep(std::move(text));
  push(token);
  return true;
}

// ": " ends a plain scalar anywhere, punctuation of flow collections only inside one.
bool Scanner::ends_plain() const {
  if (source_.is(':') && source_.is_blank_or_end(1)) {
    return true;
  }
  constexpr std::string_view kFlowIndicators = ",?[]{}";
  return flow_level_ > 0 &&
         kFlowIndicators.find(static_cast<char>(source_.at())) != std::string_view::npos;
}

bool Scanner::scan_plain_gap(const Mark& start, int indent, Gap& gap) {
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
