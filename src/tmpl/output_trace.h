// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tmpl/ast.h"
#include "tmpl/failure.h"

namespace chartwright::tmpl {

/// Which node of which template wrote each part of a text: asked for (ExecOptions::trace) when a
/// text has turned out wrong and is rendered once more to find out why. Not thread-safe.
class OutputTrace {
 public:
  /// Where a part of the text comes from.
  struct Origin {
    std::vector<FailedFrame> frames;  ///< Innermost first.
    std::vector<Operand> operands;    ///< Of the innermost action that wrote it.
    bool is_text = false;             ///< It stands in a template as it is.
  };

  /// The node that wrote the byte at `column` of a line (both from 1; past the end of the line: its
  /// last byte; 0: the first byte that is no space). Where that is an action that includes other
  /// templates, the line is sought in what they wrote, which knows the same line with another
  /// indentation. nullopt when there is no such line, or the text was too long to be traced.
  std::optional<Origin> origin(size_t line, size_t column) const;

  // The executor calls these.
  /// A text begins: the execution's own, or that of a nested one (include, tpl).
  void begin_text();
  /// The text that began last is complete.
  void end_text(std::string_view text);
  /// A template begins to write into the current text; `call` is the node in the template before it
  /// that called it, none for the first of a text.
  void enter(const Tree& tree, const NodeRef& call);
  void leave();
  /// `bytes` have been written by `node`; `operands` are what it read.
  void wrote(size_t bytes, const NodeRef& node, std::vector<Operand> operands);

 private:
  // A run of one template. Its tree may be gone when the trace is read.
  struct Frame {
    std::string name;
    std::string file;
    std::shared_ptr<const std::string> source;
    size_t caller = kNone;  // Index of the frame that holds `call`.
    size_t call = 0;        // Offset in the caller's source.
  };
  struct Piece {
    size_t end = 0;  // Offset in the text.
    size_t frame = 0;
    size_t offset = 0;  // In the frame's source.
    bool is_text = false;
    std::vector<Operand> operands;
  };
  struct Text {
    std::string content;
    std::vector<Piece> pieces;
    std::vector<Text> nested;          // Texts made while this one was written ...
    std::vector<size_t> nested_until;  // ... before this piece.
    size_t length = 0;
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // A line without the space around it, and a byte of it.
  struct Line {
    std::string_view text;
    size_t at;
  };
  bool place(const Text& text, size_t at, Origin& origin) const;
  void place_nested(const Text& text, size_t piece, const Line& line, Origin& origin) const;
  void add_frames(const Piece& piece, Origin& origin) const;

  std::vector<Frame> frames_;
  std::vector<size_t> running_;  // Frames; kNone separates texts.
  std::vector<Text> open_;
  std::optional<Text> root_;
  size_t pieces_ = 0;
  size_t bytes_ = 0;
  bool overflowed_ = false;
};

/// Line and column, both from 1, of a byte in a source text.
base::SourcePos source_pos(const std::string& file, std::string_view source, size_t offset);

}  // namespace chartwright::tmpl
