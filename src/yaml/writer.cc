// SPDX-License-Identifier: Apache-2.0
#include "yaml/writer.h"

#include "base/ascii.h"
#include "base/unicode.h"

namespace chartwright::yaml {
namespace {

constexpr int kBestWidth = 80;
constexpr char kIndentHint = '2';

bool is_space(std::string_view text, size_t at) { return at < text.size() && text[at] == ' '; }

// Returns the byte offset of the character before `at`.
size_t previous_char(std::string_view text, size_t at) {
  do {
    --at;
  } while (base::is_utf8_continuation(text[at]));
  return at;
}

// Returns the one-letter escape of a character, or 0.
char escape_letter(char32_t rune) {
  switch (rune) {
    case 0x00:
      return '0';
    case 0x07:
      return 'a';
    case 0x08:
      return 'b';
    case 0x09:
      return 't';
    case 0x0A:
      return 'n';
    case 0x0B:
      return 'v';
    case 0x0C:
      return 'f';
    case 0x0D:
      return 'r';
    case 0x1B:
      return 'e';
    case '"':
      return '"';
    case '\\':
      return '\\';
    case 0x85:
      return 'N';
    case 0xA0:
      return '_';
    case 0x2028:
      return 'L';
    case 0x2029:
      return 'P';
    default:
      return 0;
  }
}

struct HexEscape {
  char letter;
  int digits;
};

// Returns the shortest numeric escape that can hold the character.
HexEscape hex_escape(char32_t rune) {
  if (rune <= 0xFF) {
    return {'x', 2};
  }
  if (rune <= 0xFFFF) {
    return {'u', 4};
  }
  return {'U', 8};
}

}  // namespace

void Writer::put(char c) {
  out_ += c;
  ++column_;
}

void Writer::put_break() {
  out_ += '\n';
  column_ = 0;
}

void Writer::copy_char(std::string_view text, size_t& at) {
  const size_t width = yaml_char_width(text[at]);
  out_ += text.substr(at, width);
  at += width;
  ++column_;
}

void Writer::copy_break(std::string_view text, size_t& at) {
  copy_char(text, at);
  column_ = 0;
}

void Writer::start_line() {
  const int target = indent_ < 0 ? 0 : indent_;
  if (!in_indentation_ || column_ > target || (column_ == target && !after_space_)) {
    put_break();
  }
  while (column_ < target) {
    put(' ');
  }
  after_space_ = true;
  in_indentation_ = true;
}

void Writer::indicator(std::string_view text, Before before, After after) {
  if (before == Before::kSpace && !after_space_) {
    put(' ');
  }
  for (size_t at = 0; at < text.size();) {
    copy_char(text, at);
  }
  after_space_ = false;
  in_indentation_ = in_indentation_ && after == After::kIndentation;
}

void Writer::scalar(std::string_view text, Style style, Folding folding) {
  switch (style) {
    case Style::kPlain:
      plain(text, folding);
      break;
    case Style::kSingleQuoted:
      single_quoted(text, folding);
      break;
    case Style::kDoubleQuoted:
      double_quoted(text, folding);
      break;
    case Style::kLiteral:
      literal(text);
      return;
  }
  after_space_ = false;
  in_indentation_ = false;
}

bool Writer::too_long(Folding folding) const {
  return folding == Folding::kFold && column_ > kBestWidth;
}

void Writer::plain(std::string_view text, Folding folding) {
  if (!after_space_) {
    put(' ');
  }
  bool after_space = false;
  for (size_t at = 0; at < text.size();) {
    const bool space = is_space(text, at);
    if (space && !after_space && too_long(folding) && !is_space(text, at + 1)) {
      start_line();
      ++at;
    } else {
      copy_char(text, at);
    }
    after_space = space;
  }
}

void Writer::single_quoted(std::string_view text, Folding folding) {
  indicator("'", Before::kSpace, After::kText);
  bool after_space = false;
  bool after_break = false;
  for (size_t at = 0; at < text.size();) {
    if (is_space(text, at)) {
      const bool inside = at > 0 && at + 1 < text.size();
      if (!after_space && too_long(folding) && inside && !is_space(text, at + 1)) {
        start_line();
        ++at;
      } else {
        copy_char(text, at);
      }
      after_space = true;
    } else if (is_yaml_break(text, at)) {
      copy_break(text, at);
      in_indentation_ = true;
      after_break = true;
    } else {
      if (after_break) {
        start_line();
      }
      if (text[at] == '\'') {
        put('\'');
      }
      copy_char(text, at);
      in_indentation_ = false;
      after_space = false;
      after_break = false;
    }
  }
  indicator("'", Before::kNothing, After::kText);
}

void Writer::double_quoted(std::string_view text, Folding folding) {
  indicator("\"", Before::kSpace, After::kText);
  // At every character, libyaml looks for the byte order mark at the start of the text. If it is
  // there, every character is escaped.
  const bool escape_all = text.starts_with(base::kByteOrderMark);
  bool after_space = false;
  for (size_t at = 0; at < text.size();) {
    if (escape_all || !is_yaml_printable(text, at) || is_yaml_break(text, at) || text[at] == '"' ||
        text[at] == '\\') {
      escape(text, at);
      after_space = false;
    } else if (is_space(text, at)) {
      if (!after_space && too_long(folding) && at > 0 && at + 1 < text.size()) {
        start_line();
        if (is_space(text, at + 1)) {
          put('\\');
        }
        ++at;
      } else {
        copy_char(text, at);
      }
      after_space = true;
    } else {
      copy_char(text, at);
      after_space = false;
    }
  }
  indicator("\"", Before::kNothing, After::kText);
}

void Writer::escape(std::string_view text, size_t& at) {
  const auto [rune, size] = base::decode_rune(text.substr(at));
  at += size;
  put('\\');
  if (const char letter = escape_letter(rune); letter != 0) {
    put(letter);
    return;
  }
  const HexEscape escape = hex_escape(rune);
  put(escape.letter);
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (int shift = 4 * (escape.digits - 1); shift >= 0; shift -= 4) {
    put(kHex[(rune >> shift) & 0xF]);
  }
}

void Writer::literal_hints(std::string_view text) {
  if (is_space(text, 0) || is_yaml_break(text, 0)) {
    put(kIndentHint);
  }
  const size_t last = previous_char(text, text.size());
  if (!is_yaml_break(text, last)) {
    put('-');
  } else if (last == 0 || is_yaml_break(text, previous_char(text, last))) {
    put('+');
  }
}

void Writer::literal(std::string_view text) {
  indicator("|", Before::kSpace, After::kText);
  literal_hints(text);
  put_break();
  after_space_ = true;
  in_indentation_ = true;
  bool after_break = true;
  for (size_t at = 0; at < text.size();) {
    if (is_yaml_break(text, at)) {
      copy_break(text, at);
      in_indentation_ = true;
      after_break = true;
      continue;
    }
    if (after_break) {
      start_line();
    }
    copy_char(text, at);
    in_indentation_ = false;
    after_break = false;
  }
}

}  // namespace chartwright::yaml
