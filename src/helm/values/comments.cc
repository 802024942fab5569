// SPDX-License-Identifier: Apache-2.0
#include "helm/values/comments.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "helm/values/comment_text.h"
#include "yaml/document.h"

namespace chartwright::helm {
namespace {

using yaml::DocumentNode;

constexpr std::string_view kParam = "@param ";
constexpr std::string_view kHelmDocsDash = " -- ";
constexpr size_t kCommentsDepthMax = 30;
/// Maximum number of lines that name their value which are read.
constexpr size_t kNamedMax = 10'000;

/// A comment that names its value.
struct NamedLine {
  std::vector<std::string> path;
  std::string_view rest;
  bool is_param = false;
};

/// Splits a path at its dots, but for those within quotes: `a."b.c"`.
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps(1);
  bool is_quoted = false;
  for (const char c : path) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == '.' && !is_quoted && steps.size() <= kCommentsDepthMax) {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  return steps;
}

/// Adds the keys of a map and those below it.
void add_keys(const DocumentNode& map, Comments& keys, size_t depth) {
  for (const yaml::DocumentEntry& entry : map.entries) {
    Comments& inner = keys.below[entry.key.text];
    if (depth < kCommentsDepthMax) {
      add_keys(entry.value, inner, depth + 1);
    }
  }
}

/// Reports whether a member of a map has the comments of the value that it refers to, too.
bool is_merge(const DocumentNode& key) { return key.plain && key.text == "<<"; }

class CommentReader {
 public:
  CommentReader(std::string_view file, const DocumentNode& root, Comments& into)
      : root_(root), into_(into) {
    for (std::string_view line : base::split(file, '\n')) {
      lines_.push_back(line);
      comments_.push_back(comment_line(line));
    }
    add_keys(root, keys_, 0);
    for (const auto& comment : comments_) {
      named_.push_back(comment ? named_line(comment->text) : std::nullopt);
    }
  }

  void read() {
    read_members(root_, into_, 0);
    read_absent(root_, into_, {0, lines_.size()});
    size_t count = 0;
    for (size_t line = 0; line < lines_.size(); ++line) {
      if (named_[line] && ++count <= kNamedMax) {
        read_named(*named_[line], line);
      }
    }
  }

 private:
  void read_members(const DocumentNode& map, Comments& comments, size_t depth) {
    if (depth > kCommentsDepthMax) {
      return;
    }
    for (const yaml::DocumentEntry& entry : map.entries) {
      const CommentText& above = text_of(entry.key.pos);
      if (is_merge(entry.key)) {
        merge(entry.value, comments, depth);
      } else if (!above.is_ignored) {
        Comments& inner = comments.below[entry.key.text];
        inner.text = above.text;
        inner.usual = above.usual;
        read_members(entry.value, inner, depth + 1);
      }
    }
  }

  /// A member of the map itself comes after what it merges, or before: its comment wins in any
  /// case.
  void merge(const DocumentNode& merged, Comments& comments, size_t depth) {
    Comments others;
    read_members(merged, others, depth);
    for (const DocumentNode& item : merged.items) {
      read_members(item, others, depth);
    }
    for (auto& [key, inner] : others.below) {
      comments.below.try_emplace(key, std::move(inner));
    }
  }

  /// Members that an alias repeats have one position, and one comment.
  const CommentText& text_of(const base::SourcePos& key) {
    const auto [known, is_new] = texts_.try_emplace({key.line, key.column});
    if (is_new) {
      known->second = read_text(key);
    }
    return known->second;
  }

  CommentText read_text(const base::SourcePos& key) const {
    const auto column = static_cast<size_t>(std::max(key.column - 1, 0));
    // YAML has other line breaks, too.
    const size_t line = std::min(static_cast<size_t>(std::max(key.line - 1, 0)), lines_.size());
    CommentText text = comment_text(block_above(line, column));
    const bool is_alone = line < lines_.size() && lines_[line].find_first_not_of(' ') == column;
    if (text.text.empty() && !text.is_ignored && is_alone) {
      text.text = trailing_comment(base::trim(lines_[line]));
    }
    return text;
  }

  /// A part of the file, in lines from 0; `end` is the first that is no longer in it.
  struct Range {
    size_t start;
    size_t end;
  };

  /// Reads the comments on members that are commented out themselves, at the column of the others.
  /// A map that an alias repeats is elsewhere, and was read there.
  void read_absent(const DocumentNode& map, Comments& comments, Range range) {
    const auto line_of = [](const yaml::DocumentEntry& entry) {
      return static_cast<size_t>(std::max(entry.key.pos.line - 1, 0));
    };
    const bool is_here = !map.entries.empty() && line_of(map.entries.front()) >= range.start &&
                         line_of(map.entries.back()) < range.end;
    if (!is_here) {
      return;
    }
    const auto column = static_cast<size_t>(std::max(map.entries.front().key.pos.column - 1, 0));
    for (size_t line = range.start; line < range.end; ++line) {
      const auto& comment = comments_[line];
      const std::string_view key =
          comment && comment->column == column && comment->indent <= 1 ? key_of(comment->text) : "";
      if (!key.empty() && !comments.below.contains(key)) {
        const std::string text = text_above_absent(line);
        if (!text.empty()) {
          comments.below[std::string(key)].text = text;
        }
      }
    }
    for (size_t i = 0; i < map.entries.size(); ++i) {
      const auto& entry = map.entries[i];
      if (const auto inner = comments.below.find(entry.key.text); inner != comments.below.end()) {
        const size_t next = i + 1 < map.entries.size() ? line_of(map.entries[i + 1]) : range.end;
        read_absent(entry.value, inner->second, {line_of(entry), std::min(next, range.end)});
      }
    }
  }

  /// Returns the words between a member that is commented out and the one before.
  std::string text_above_absent(size_t line) const {
    std::vector<CommentLine> block;
    const auto goes_on = [this, line](const std::optional<CommentLine>& above) {
      return above && above->column == comments_[line]->column && !is_yaml_line(above->text);
    };
    for (size_t i = line; i > 0 && goes_on(comments_[i - 1]) && !named_[i - 1]; --i) {
      block.push_back(*comments_[i - 1]);
    }
    std::reverse(block.begin(), block.end());
    return comment_text(std::move(block)).text;
  }

  /// Returns the comments right above a line, up to the first that names its value.
  std::vector<CommentLine> block_above(size_t line, size_t column) const {
    size_t first = line;
    while (first > 0 && comments_[first - 1] && comments_[first - 1]->column == column) {
      --first;
    }
    std::vector<CommentLine> block;
    for (size_t i = first; i < line && !named_[i]; ++i) {
      block.push_back(*comments_[i]);
    }
    return block;
  }

  /// Reads "@param a.b Text" or, of a value that there is, "a.b -- Text".
  std::optional<NamedLine> named_line(std::string_view text) const {
    if (text.starts_with(kParam)) {
      const std::string_view rest = base::trim(text.substr(kParam.size()));
      const size_t space = std::min(rest.find(' '), rest.size());
      return NamedLine{steps_of(rest.substr(0, space)), base::trim(rest.substr(space)), true};
    }
    const size_t space = text.find(' ');
    if (space == std::string_view::npos || !text.substr(space).starts_with(kHelmDocsDash)) {
      return std::nullopt;
    }
    NamedLine named{steps_of(text.substr(0, space)), text.substr(space + 1), false};
    const Comments* at = &keys_;
    for (const std::string& step : named.path) {
      at = at != nullptr ? at->find(step) : nullptr;
    }
    return at != nullptr ? std::optional(std::move(named)) : std::nullopt;
  }

  void read_named(const NamedLine& named, size_t line) {
    if (named.path.size() > kCommentsDepthMax) {
      return;
    }
    CommentText text;
    if (named.is_param) {
      text.text = shown_comment(without_modifiers(named.rest));
    } else {
      std::vector<CommentLine> block = {{named.rest, 0, 1}};
      while (++line < lines_.size() && comments_[line] && !named_[line]) {
        block.push_back(*comments_[line]);
      }
      text = comment_text(std::move(block));
    }
    Comments* at = &into_;
    for (const std::string& step : named.path) {
      at = &at->below[step];
    }
    at->text = std::move(text.text);
    at->usual = std::move(text.usual);
  }

  /// Takes out the modifiers of readme-generator: "[string, nullable] Text".
  static std::string_view without_modifiers(std::string_view text) {
    if (text.starts_with('[')) {
      text = base::trim(text.substr(std::min(text.find(']'), text.size() - 1) + 1));
    }
    return text;
  }

  const DocumentNode& root_;
  Comments keys_;  ///< The keys that there are, without comments.
  std::vector<std::string_view> lines_;
  std::vector<std::optional<CommentLine>> comments_;  ///< The comment of each line.
  std::vector<std::optional<NamedLine>> named_;  ///< The name and text of each line that has one.
  std::map<std::pair<int, int>, CommentText>
      texts_;  ///< The text of each line and column of a key.
  Comments& into_;
};

/// Adds the texts of `others` where there are none.
void complete(Comments& comments, Comments others) {
  if (comments.text.empty() && comments.usual.empty()) {
    comments.text = std::move(others.text);
    comments.usual = std::move(others.usual);
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
  const auto document = yaml::parse_document(values_file, "values.yaml", yaml::MergeKeys::kKeep);
  if (document.ok()) {
    Comments own;
    CommentReader(values_file, *document, own).read();
    complete(into, std::move(own));
  }
}

}  // namespace chartwright::helm
