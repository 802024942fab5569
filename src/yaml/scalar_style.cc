// SPDX-License-Identifier: Apache-2.0
#include "yaml/scalar_style.h"

#include "yaml/resolve.h"

namespace chartwright::yaml {
namespace {

unsigned char byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool is_blank_or_end(std::string_view text, size_t at) {
  return at >= text.size() || text[at] == ' ' || text[at] == '\t';
}

// Reports whether a character at `at` would be read as an indicator in the block context.
bool is_block_indicator(std::string_view text, size_t at, bool after_white_space) {
  const char c = text[at];
  if (c == ':') {
    return is_blank_or_end(text, at + 1);
  }
  if (at > 0) {
    return c == '#' && after_white_space;
  }
  if (c == '?' || c == '-') {
    return is_blank_or_end(text, at + 1);
  }
  return std::string_view("#,[]{}&*!|>'\"%@`").find(c) != std::string_view::npos;
}

// Describes the spaces and line breaks of a text.
struct Layout {
  bool leading_space = false;
  bool leading_break = false;
  bool trailing_space = false;
  bool trailing_break = false;
  bool break_then_space = false;
  bool space_then_break = false;
  bool breaks = false;
};

// Reads the layout of a text character by character.
class LayoutReader {
 public:
  void take(std::string_view text, size_t at, size_t width) {
    const bool last = at + width == text.size();
    if (text[at] == ' ') {
      layout_.leading_space |= at == 0;
      layout_.trailing_space |= last;
      layout_.break_then_space |= after_break_;
      after_space_ = true;
      after_break_ = false;
    } else if (is_yaml_break(text, at)) {
      layout_.breaks = true;
      layout_.leading_break |= at == 0;
      layout_.trailing_break |= last;
      layout_.space_then_break |= after_space_;
      after_space_ = false;
      after_break_ = true;
    } else {
      after_space_ = false;
      after_break_ = false;
    }
  }
  const Layout& layout() const { return layout_; }

 private:
  Layout layout_;
  bool after_space_ = false;
  bool after_break_ = false;
};

bool is_white_space(std::string_view text, size_t at) {
  return text[at] == ' ' || text[at] == '\t' || text[at] == '\0' || is_yaml_break(text, at);
}

}  // namespace

bool is_yaml_break(std::string_view text, size_t at) {
  switch (byte_at(text, at)) {
    case '\r':
    case '\n':
      return true;
    case 0xC2:  // U+0085
      return byte_at(text, at + 1) == 0x85;
    case 0xE2:  // U+2028, U+2029
      return byte_at(text, at + 1) == 0x80 && (byte_at(text, at + 2) & 0xFE) == 0xA8;
    default:
      return false;
  }
}

bool is_yaml_printable(std::string_view text, size_t at) {
  const unsigned char first = byte_at(text, at);
  const unsigned char second = byte_at(text, at + 1);
  const unsigned char third = byte_at(text, at + 2);
  if (first < 0x80) {
    return first == '\n' || (first >= 0x20 && first <= 0x7E);
  }
  switch (first) {
    case 0xC2:  // From U+00A0.
      return second >= 0xA0;
    case 0xED:  // Up to U+D7FF.
      return second < 0xA0;
    case 0xEF:  // Except U+FEFF, U+FFFE, U+FFFF.
      return !(second == 0xBB && third == 0xBF) && !(second == 0xBF && third >= 0xBE);
    default:
      return first > 0xC2 && first <= 0xEE;
  }
}

size_t yaml_char_width(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0x80) {
    return 1;
  }
  if (byte < 0xE0) {
    return 2;
  }
  return byte < 0xF0 ? 3 : 4;
}

TextTraits analyze_yaml_text(std::string_view text) {
  if (text.empty()) {
    return {.plain_allowed = true, .single_quoted_allowed = true};
  }
  bool indicators = text.starts_with("---") || text.starts_with("...");
  bool special = false;
  bool after_white_space = true;
  LayoutReader reader;
  for (size_t at = 0; at < text.size();) {
    const size_t width = yaml_char_width(text[at]);
    indicators |= is_block_indicator(text, at, after_white_space);
    special |= !is_yaml_printable(text, at);
    reader.take(text, at, width);
    after_white_space = is_white_space(text, at);
    at += width;
  }
  const Layout& layout = reader.layout();
  const bool awkward = layout.space_then_break || special;
  const bool white_edge = layout.leading_space || layout.leading_break || layout.trailing_space ||
                          layout.trailing_break;
  return {
      .multiline = layout.breaks,
      .plain_allowed = !indicators && !layout.breaks && !white_edge && !awkward,
      .single_quoted_allowed = !layout.break_then_space && !awkward,
      .literal_allowed = !layout.trailing_space && !awkward,
  };
}

Style choose_yaml_style(std::string_view text, const TextTraits& traits) {
  if (text.find('\n') != std::string_view::npos) {
    return traits.literal_allowed ? Style::kLiteral : Style::kDoubleQuoted;
  }
  if (resolve_plain_scalar(text).type != Type::kString || is_base60_number(text)) {
    return Style::kDoubleQuoted;
  }
  if (traits.plain_allowed) {
    return Style::kPlain;
  }
  return traits.single_quoted_allowed ? Style::kSingleQuoted : Style::kDoubleQuoted;
}

}  // namespace chartwright::yaml
