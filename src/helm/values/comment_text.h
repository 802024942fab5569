// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The words of comments in a values.yaml, as helm-docs, readme-generator and people write them.
namespace chartwright::helm {

/// A line that is a comment.
struct CommentLine {
  std::string_view text;  ///< Without what begins the comment, and without space around it.
  size_t column = 0;      ///< Where the comment begins, from 0.
  size_t indent = 0;      ///< Number of spaces before the text.
};

/// The words about one value.
struct CommentText {
  std::string text;         ///< One line; empty: none.
  std::string usual;        ///< The default in words ("@default -- text"); empty: none.
  bool is_ignored = false;  ///< The authors leave the value out of their documentation.
};

/// Returns a line as a comment; nullopt if it is not one.
std::optional<CommentLine> comment_line(std::string_view line);

/// Reports whether a comment is a line of YAML that was commented out: "key: value", "- item".
bool is_yaml_line(std::string_view text);

/// Returns the key of a member that was commented out: "key" of "key: value"; "" for others.
std::string_view key_of(std::string_view text);

/// Returns what the lines above a key say, the topmost first. Values that are commented out, and
/// what is meant for tools, are left out. Texts are cut to kCommentMax.
CommentText comment_text(std::vector<CommentLine> block);
inline constexpr size_t kCommentMax = 300;

/// Returns a text as it is shown: on one line, without characters that hide or reorder others, and
/// cut to `bytes_max`, and an ellipsis.
std::string shown_comment(std::string_view text, size_t bytes_max = kCommentMax);

/// Returns the comment at the end of a line "key: value  # text"; "" if it has none that reads as
/// prose. `line` begins with the key.
std::string trailing_comment(std::string_view line);

}  // namespace chartwright::helm
