// SPDX-License-Identifier: Apache-2.0
#include "generate/markdown.h"

#include <algorithm>

#include "base/strings.h"
#include "base/unicode.h"

namespace chartwright::generate {
namespace {

constexpr size_t kFenceMin = 3;

/// Returns `text` on one line, without characters that hide or reorder others.
std::string one_line(std::string_view text, size_t shown_max) {
  std::string out;
  size_t shown = 0;
  bool has_gap = false;
  while (!text.empty()) {
    const base::DecodedRune next = base::decode_rune(text);
    text.remove_prefix(next.size);
    if (base::is_space(next.rune) || next.rune < ' ' || next.rune == 0x7f) {
      has_gap = true;
      continue;
    }
    if (!base::is_print(next.rune)) {
      continue;
    }
    if (shown == shown_max) {
      return out + "…";
    }
    out += has_gap && !out.empty() ? " " : "";
    has_gap = false;
    base::append_rune(out, next.rune);
    ++shown;
  }
  return out;
}

/// Returns what stands for a character in prose; "" if it stands for itself. Entities are used
/// where some dialects know no backslash.
std::string_view escape_of(char c) {
  switch (c) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '|':
      return "&#124;";
    case '~':
      return "&#126;";
    case '$':
      return "&#36;";
    case '\\':
      return "\\\\";
    case '`':
      return "\\`";
    case '*':
      return "\\*";
    case '_':
      return "\\_";
    case '[':
      return "\\[";
    case ']':
      return "\\]";
    // Two of them are a template for generators of sites.
    case '{':
      return "\\{";
    default:
      return "";
  }
}

/// Returns where a backslash keeps the start of a line from being a list or a heading, or npos.
size_t block_mark(std::string_view line) {
  if (line.empty()) {
    return std::string_view::npos;
  }
  if (std::string_view("#-+=").find(line.front()) != std::string_view::npos) {
    return 0;
  }
  const size_t end = line.find_first_not_of("0123456789");
  const bool is_item = end != 0 && end != std::string_view::npos &&
                       (line[end] == '.' || line[end] == ')') &&
                       (end + 1 == line.size() || line[end + 1] == ' ');
  return is_item ? end : std::string_view::npos;
}

/// Returns the number of backticks that no run in `text` has.
size_t fence_of(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest + 1;
}

}  // namespace

std::string markdown_text(std::string_view text, size_t shown_max) {
  const std::string line = one_line(text, shown_max);
  const size_t mark = block_mark(line);
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    const std::string_view escaped = escape_of(line[i]);
    out += i == mark ? "\\" : "";
    out += escaped.empty() ? std::string_view(&line[i], 1) : escaped;
  }
  return out;
}

std::string markdown_code(std::string_view text, size_t shown_max) {
  const std::string line = one_line(text, shown_max);
  if (line.empty()) {
    return "";
  }
  const std::string fence(fence_of(line), '`');
  const std::string_view pad = line.front() == '`' || line.back() == '`' ? " " : "";
  std::string out = fence;
  out += pad;
  out += base::replace_all(line, "|", "\\|");
  out += pad;
  return out + fence;
}

std::string markdown_codes(const std::vector<std::string>& texts, size_t count_max) {
  std::vector<std::string> spans;
  for (const std::string& text : texts) {
    if (spans.size() < count_max) {
      spans.push_back(markdown_code(text));
    }
  }
  std::string out = base::join(spans, ", ");
  if (texts.size() > count_max) {
    out += " and " + std::to_string(texts.size() - count_max) + " more";
  }
  return out;
}

std::string markdown_block(std::string_view language, std::string_view text) {
  const std::string fence(std::max(fence_of(text), kFenceMin), '`');
  return fence + std::string(language) + "\n" + std::string(text) + fence + "\n";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return "| " + base::join(cells, " | ") + " |\n";
}

std::string markdown_head(const std::vector<std::string>& titles) {
  std::string line = "|";
  for (size_t i = 0; i < titles.size(); ++i) {
    line += "---|";
  }
  return markdown_row(titles) + line + "\n";
}

}  // namespace chartwright::generate
