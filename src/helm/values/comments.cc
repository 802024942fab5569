// SPDX-License-Identifier: Apache-2.0
#include "helm/values/comments.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "yaml/document.h"

namespace chartwright::helm {
namespace {

using CommentLines = std::vector<std::string_view>;

/// A line of the file.
struct Line {
  std::optional<std::string_view> comment;  ///< The text; nullopt: the line is not a comment.
  size_t column = 0;                        ///< The column of the comment.
};

constexpr std::string_view kHelmDocs = "-- ";
constexpr std::string_view kParam = "@param ";
constexpr size_t kCommentsDepthMax = 30;
/// Maximum number of lines "@param" that are read.
constexpr size_t kParamsMax = 10'000;

Line read_line(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos || text[first] != '#') {
    return {};
  }
  text.remove_prefix(std::min(text.find_first_not_of('#', first), text.size()));
  return {base::trim(text), first};
}

/// Reports whether a comment is a line of YAML that was commented out: "key: value", "- item".
bool is_yaml_line(std::string_view text) {
  if (text.starts_with("- ") || text == "-" || text.starts_with('{') || text.starts_with('[')) {
    return true;
  }
  const auto is_in_key = [](char c) {
    return base::is_ascii_word(c) || c == '-' || c == '.' || c == '/' || c == '"';
  };
  const auto end = std::ranges::find_if_not(text, is_in_key);
  const auto size = static_cast<size_t>(end - text.begin());
  const std::string_view rest = text.substr(size);
  const bool is_key = size > 0 && (rest == ":" || rest.starts_with(": "));
  return is_key && !base::is_ascii_upper(text.front());
}

/// Reports whether a line only separates: "-----", "=== ===".
bool is_rule(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return base::is_ascii_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
  });
}

std::string shortened(std::string text) {
  for (char& c : text) {
    c = static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  if (text.size() <= kCommentMax) {
    return text;
  }
  size_t end = text.rfind(' ', kCommentMax);
  end = end == std::string::npos || end == 0 ? kCommentMax : end;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) {
    --end;  // Within a character.
  }
  return text.substr(0, end) + " …";
}

/// Returns the text of the comment lines above a key, the topmost first.
std::string text_of(CommentLines block) {
  const auto marked = std::find_if(block.rbegin(), block.rend(), [](std::string_view line) {
    return line.starts_with(kHelmDocs) || line == "--";
  });
  const bool is_marked = marked != block.rend();
  if (is_marked) {
    block.erase(block.begin(), marked.base() - 1);
    block.front().remove_prefix(std::min(kHelmDocs.size(), block.front().size()));
  }
  std::string text;
  for (std::string_view line : block) {
    const bool ends = line.starts_with('@') || (!is_marked && is_yaml_line(line));
    if (ends || (is_rule(line) && !text.empty())) {
      break;
    }
    if (!is_rule(line)) {
      text += (text.empty() ? "" : " ") + std::string(line);
    }
  }
  return shortened(std::move(text));
}

/// Reports whether the lines are about the file, and not about its first key.
bool is_head_of_file(const CommentLines& block) {
  return std::any_of(block.begin(), block.end(), [](std::string_view line) {
    return line.starts_with("Default values for") || line.starts_with("SPDX-") ||
           line.starts_with("Copyright");
  });
}

class CommentReader {
 public:
  CommentReader(std::string_view file, Comments& into) : into_(into) {
    for (std::string_view line : base::split(file, '\n')) {
      lines_.push_back(read_line(line));
    }
  }

  void read(const yaml::DocumentNode& root) {
    read_members(root, into_, 0);
    size_t params = 0;
    for (const Line& line : lines_) {
      if (line.comment && line.comment->starts_with(kParam) && ++params <= kParamsMax) {
        read_param(line.comment->substr(kParam.size()));
      }
    }
  }

 private:
  void read_members(const yaml::DocumentNode& map, Comments& comments, size_t depth) {
    if (depth > kCommentsDepthMax) {
      return;
    }
    for (const yaml::DocumentEntry& entry : map.entries) {
      Comments& inner = comments.below[entry.key.text];
      inner.text = text_above(entry.key.pos);
      read_members(entry.value, inner, depth + 1);
    }
  }

  /// Members that an alias repeats have one position, and one comment.
  const std::string& text_above(const base::SourcePos& key) {
    const auto [known, is_new] = texts_.try_emplace({key.line, key.column});
    if (is_new) {
      known->second = read_above(key);
    }
    return known->second;
  }

  std::string read_above(const base::SourcePos& key) const {
    CommentLines block;
    const auto column = static_cast<size_t>(std::max(key.column - 1, 0));
    // YAML has other line breaks, too.
    const size_t above = std::min(static_cast<size_t>(std::max(key.line - 1, 0)), lines_.size());
    for (size_t line = above; line > 0; --line) {
      const Line& above_key = lines_[line - 1];
      const bool is_of_key = above_key.comment && above_key.column == column;
      if (!is_of_key || above_key.comment->starts_with(kParam)) {
        break;
      }
      block.push_back(*above_key.comment);
    }
    std::reverse(block.begin(), block.end());
    return is_head_of_file(block) ? "" : text_of(std::move(block));
  }

  /// Reads what follows in a line "## @param a.b [string] Text".
  void read_param(std::string_view comment) {
    const std::string_view rest = base::trim(comment);
    const size_t space = std::min(rest.find(' '), rest.size());
    std::string_view text = base::trim(rest.substr(space));
    if (text.starts_with('[')) {
      text = base::trim(text.substr(std::min(text.find(']'), text.size() - 1) + 1));
    }
    const auto steps = base::split(rest.substr(0, space), '.');
    if (steps.size() > kCommentsDepthMax) {
      return;
    }
    Comments* at = &into_;
    for (std::string_view step : steps) {
      at = &at->below[std::string(step)];
    }
    at->text = shortened(std::string(text));
  }

  std::vector<Line> lines_;
  std::map<std::pair<int, int>, std::string>
      texts_;  ///< The text of each line and column of a key.
  Comments& into_;
};

/// Adds the texts of `others` where there are none.
void complete(Comments& comments, Comments others) {
  if (comments.text.empty()) {
    comments.text = std::move(others.text);
  }
  for (auto& [key, inner] : others.below) {
    complete(comments.below[key], std::move(inner));
  }
}

}  // namespace

const Comments* Comments::find(std::string_view key) const {
  const auto found = below.find(key);
  return found != below.end() ? &found->second : nullptr;
}

void add_comments(std::string_view values_file, Comments& into) {
  const auto document = yaml::parse_document(values_file, "values.yaml");
  if (document.ok()) {
    Comments own;
    CommentReader(values_file, own).read(*document);
    complete(into, std::move(own));
  }
}

}  // namespace chartwright::helm
