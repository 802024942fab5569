// SPDX-License-Identifier: Apache-2.0
#include "helm/values/comment_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/unicode.h"

namespace chartwright::helm {
namespace {

using CommentLines = std::vector<CommentLine>;

constexpr std::string_view kHelmDocs = "-- ";
constexpr std::string_view kSchemaMark = "@schema";
constexpr size_t kUsualMax = 100;

/// Words that begin a sentence before a colon, where others are keys.
constexpr auto kSentenceStarts = std::to_array<std::string_view>(
    {"attention", "caution", "docs", "eg", "example", "hint", "important", "info", "link", "more",
     "nb", "note", "ref", "refs", "see", "tip", "warning"});

/// First words of comments that are meant for a tool.
constexpr auto kTools = std::to_array<std::string_view>(
    {"checkov", "cspell", "gitleaks", "helm-docs", "kics", "noinspection", "nolint", "noqa",
     "nosec", "pragma", "prettier-ignore", "renovate", "spellchecker", "todo", "fixme", "trivy",
     "yaml-language-server", "yamllint"});

/// Beginnings of a sentence that leads to an example, which is not shown.
constexpr auto kExampleStarts =
    std::to_array<std::string_view>({"e.g", "eg", "ex:", "example", "for example", "for instance"});

template <size_t kCount>
bool has_word(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool begins_mark(std::string_view line) { return line == "--" || line.starts_with(kHelmDocs); }

/// Returns the first word in lower case: letters and dashes.
std::string first_word_of(std::string_view text) {
  const auto end =
      std::ranges::find_if_not(text, [](char c) { return base::is_ascii_letter(c) || c == '-'; });
  return base::to_lower_ascii(text.substr(0, static_cast<size_t>(end - text.begin())));
}

/// Reports whether a line only separates: "-----", "=== ===", "".
bool is_rule(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return base::is_ascii_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
  });
}

/// Reports whether a line leads to an example: "Such as:".
bool leads_on(std::string_view line) {
  return line.ends_with(':') || line.ends_with("e.g.") || line.ends_with("xample");
}

/// Returns a text without a last sentence that leads to an example: "For example:".
std::string_view without_example_lead(std::string_view text) {
  if (!leads_on(text)) {
    return text;
  }
  size_t start = 0;
  for (std::string_view end : {". ", "! ", "? "}) {
    const size_t at = text.rfind(end, text.size() - 2);
    start = at == std::string_view::npos ? start : std::max(start, at + end.size());
  }
  const std::string sentence = base::to_lower_ascii(text.substr(start));
  const bool leads = std::ranges::any_of(
      kExampleStarts, [&](std::string_view lead) { return sentence.starts_with(lead); });
  return leads ? base::trim(text.substr(0, start)) : text;
}

/// Returns the text after `mark` and "--" or "=", or nullopt if the line begins otherwise.
std::optional<std::string_view> after_mark(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) {
    return std::nullopt;
  }
  line = base::trim(line.substr(mark.size()));
  for (std::string_view sign : {"--", "="}) {
    if (line.starts_with(sign)) {
      return base::trim(line.substr(sign.size()));
    }
  }
  return std::nullopt;
}

/// Takes the lines for tools out of a block: tags, and schemas between two lines "@schema".
void read_tags(CommentLines& block, CommentText& out) {
  CommentLines kept;
  bool in_schema = false;
  for (const CommentLine& line : block) {
    if (line.text == kSchemaMark) {
      in_schema = !in_schema;
      continue;
    }
    const bool is_tag = line.text.starts_with('@') || line.text.starts_with("+docs:");
    if (!in_schema && !is_tag) {
      kept.push_back(line);
    }
    for (std::string_view mark : {"@default", "+docs:default"}) {
      if (const auto usual = after_mark(line.text, mark); usual && !in_schema) {
        out.usual = base::shortened(shown_comment(*usual), kUsualMax);
      }
    }
    out.is_ignored = out.is_ignored || line.text.starts_with("@ignore") ||
                     line.text.starts_with("+docs:hidden") || line.text.starts_with("+docs:ignore");
  }
  block = std::move(kept);
}

/// Takes out what is above the last "-- " of helm-docs, and the type that may follow that. Returns
/// whether there is one.
bool read_mark(CommentLines& block) {
  const auto marked = std::find_if(block.rbegin(), block.rend(),
                                   [](const CommentLine& line) { return begins_mark(line.text); });
  if (marked == block.rend()) {
    return false;
  }
  block.erase(block.begin(), marked.base() - 1);
  std::string_view& first = block.front().text;
  first = base::trim(first.substr(kHelmDocs.size() - 1));
  if (first.starts_with('(') && first.find(')') != std::string_view::npos) {
    first = base::trim(first.substr(first.find(')') + 1));
  }
  return true;
}

/// Takes out what is above values that are commented out: those belong to the key before, or are
/// described themselves. An example stays, with what leads to it.
void drop_other_values(CommentLines& block) {
  const auto is_value = [](const CommentLine& line) {
    return line.indent > 1 || is_rule(line.text) || is_yaml_line(line.text);
  };
  auto start = block.begin();
  for (auto line = start; line != block.end();) {
    if (!is_yaml_line(line->text)) {
      ++line;
      continue;
    }
    const bool is_example = line != start && leads_on((line - 1)->text);
    line = std::find_if_not(line, block.end(), is_value);
    start = is_example || line == block.end() ? start : line;
  }
  block.erase(block.begin(), start);
}

/// Reports whether the lines are about the file, and not about its first key.
bool is_head_of_file(const CommentLines& block) {
  return std::ranges::any_of(block, [](const CommentLine& line) {
    return line.text.starts_with("Default values for") || line.text.starts_with("SPDX-") ||
           line.text.starts_with("Copyright") || line.text.starts_with("Licensed under");
  });
}

/// Returns what joins two lines of prose. A short line that a capital letter follows was not
/// wrapped: it is a sentence, whose full stop is often missing.
std::string_view gap_between(std::string_view text, size_t line_size, std::string_view next) {
  constexpr size_t kWrappedMin = 50;
  if (text.empty()) {
    return "";
  }
  const bool is_open = base::is_ascii_alphanumeric(text.back()) || text.back() == ')';
  const bool is_sentence = line_size < kWrappedMin && is_open && base::is_ascii_upper(next.front());
  return is_sentence ? ". " : " ";
}

std::string prose_of(const CommentLines& block, bool is_marked) {
  std::string text;
  size_t line_size = 0;
  for (const CommentLine& line : block) {
    const std::string_view words =
        base::trim(line.text.substr(std::min(line.text.find_first_not_of('#'), line.text.size())));
    const bool ends = !is_marked && (is_yaml_line(words) || has_word(kTools, first_word_of(words)));
    if (ends || (is_rule(words) && !text.empty())) {
      break;
    }
    if (!is_rule(words)) {
      text += gap_between(text, line_size, words);
      text += words;
      line_size = words.size();
    }
    if (text.size() > 2 * kCommentMax) {
      break;
    }
  }
  return text;
}

/// Returns where a quoted text ends, after its last quote, or npos.
size_t end_of_quoted(std::string_view line, size_t start) {
  const char quote = line[start];
  for (size_t i = start + 1; i < line.size(); ++i) {
    const bool is_escape = quote == '"' ? line[i] == '\\' : line.substr(i).starts_with("''");
    if (is_escape) {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// Returns where the comment behind a value begins, or npos. None begins within a quoted text, and
/// one within a list is about an item.
size_t comment_start(std::string_view line) {
  char before = ' ';
  int depth = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool begins_token = before == ' ' || before == '[' || before == '{' || before == ',';
    if (c == '#' && before == ' ') {
      return depth == 0 ? i : std::string_view::npos;
    }
    depth += c == '[' || c == '{' ? 1 : 0;
    depth -= c == ']' || c == '}' ? 1 : 0;
    if ((c == '"' || c == '\'') && (begins_token || i == 0)) {
      const size_t end = end_of_quoted(line, i);
      if (end == std::string_view::npos) {
        return end;
      }
      i = end - 1;
    }
    before = c;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<CommentLine> comment_line(std::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos || line[first] != '#') {
    return std::nullopt;
  }
  line.remove_prefix(std::min(line.find_first_not_of('#', first), line.size()));
  const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  return CommentLine{base::trim(line), first, indent};
}

std::string_view key_of(std::string_view text) {
  const size_t colon = text.find(':');
  const bool is_member = is_yaml_line(text) && base::is_ascii_word(text.front());
  return is_member && colon != std::string_view::npos ? text.substr(0, colon) : "";
}

bool is_yaml_line(std::string_view text) {
  if (text.starts_with("- ") || text == "-" || text.starts_with('{') || text.starts_with('[')) {
    return true;
  }
  const auto is_in_key = [](char c) {
    return base::is_ascii_word(c) || c == '-' || c == '.' || c == '/' || c == '"';
  };
  const auto end = std::ranges::find_if_not(text, is_in_key);
  const auto size = static_cast<size_t>(end - text.begin());
  const std::string_view key = text.substr(0, size);
  const std::string_view rest = text.substr(size);
  if (size == 0 || (rest != ":" && !rest.starts_with(": "))) {
    return false;
  }
  // "Note: text", but "MAX_SIZE: 1".
  const bool is_word = base::is_ascii_upper(key.front()) && key.find('_') == std::string_view::npos;
  const bool is_sentence = rest != ":" && has_word(kSentenceStarts, base::to_lower_ascii(key));
  return !is_word && !is_sentence;
}

CommentText comment_text(std::vector<CommentLine> block) {
  CommentText out;
  read_tags(block, out);
  if (out.is_ignored || is_head_of_file(block)) {
    return {"", "", out.is_ignored};
  }
  const bool is_marked = read_mark(block);
  if (!is_marked) {
    drop_other_values(block);
  }
  out.text = shown_comment(without_example_lead(prose_of(block, is_marked)));
  return out;
}

std::string shown_comment(std::string_view text, size_t bytes_max) {
  std::string shown;
  bool has_gap = false;
  while (!text.empty() && shown.size() <= 2 * bytes_max) {
    const base::DecodedRune next = base::decode_rune(text);
    text.remove_prefix(next.size);
    if (base::is_space(next.rune) || next.rune < ' ' || next.rune == 0x7f) {
      has_gap = !shown.empty();
    } else if (base::is_print(next.rune)) {
      shown += has_gap ? " " : "";
      has_gap = false;
      base::append_rune(shown, next.rune);
    }
  }
  if (shown.size() <= bytes_max) {
    return shown;
  }
  size_t end = shown.rfind(' ', bytes_max);
  end = end == std::string::npos || end == 0 ? bytes_max : end;
  while (end > 0 && base::is_utf8_continuation(shown[end])) {
    --end;
  }
  return shown.substr(0, end) + " …";
}

std::string trailing_comment(std::string_view line) {
  const size_t start = comment_start(line);
  if (start == std::string_view::npos || !line.substr(start).starts_with("# ")) {
    return "";  // "#8080" is an example.
  }
  const std::string_view text = base::trim(line.substr(start + 1));
  const bool is_prose = text.find(' ') != std::string_view::npos && !is_rule(text) &&
                        !text.starts_with('@') && !is_yaml_line(text) &&
                        !has_word(kTools, first_word_of(text));
  return is_prose ? shown_comment(begins_mark(text) ? text.substr(kHelmDocs.size()) : text) : "";
}

}  // namespace chartwright::helm
