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

/// Records which node of which template wrote each part of the output. Enabled (ExecOptions::trace)
/// when output was found to be wrong and is rendered again to find out why. Not thread-safe.
class OutputTrace {
 public:
  /// The origin of a part of the output.
  struct Origin {
    std::vector<FailedFrame> frames;  ///< Innermost first.
    std::vector<Operand> operands;    ///< The operands of the innermost action that wrote it.
    bool is_text = false;             ///< Written as literal text in a template.
  };

  /// Finds the node that wrote the byte at `column` of `line`, both counted from 1. A column beyond
  /// the end of the line selects its last byte, 0 its first byte that is not a space. If the node
  /// is an action that includes other templates, their outputs are searched for the same line,
  /// which may have another indentation there. Returns nullopt if there is no such line or the
  /// output was too long to be traced.
  std::optional<Origin> origin(size_t line, size_t column) const;

  /// Returns the actions that wrote the text from `column`, as above, to the end of `line`, in
  /// order and without duplicates: of a text that an action includes, those in the templates that
  /// wrote it. At most kActionsMax; none where `origin` finds none.
  std::vector<Origin> actions(size_t line, size_t column) const;
  static constexpr size_t kActionsMax = 32;

  // Called by the executor.
  /// Begins a text: the output of the execution, or of a nested one (include, tpl).
  void begin_text();
  /// Ends the text begun last; `text` is its content.
  void end_text(std::string_view text);
  /// Enters a template that writes to the current text. `call` is the node of the calling template;
  /// ignored for the first template of a text.
  void enter(const Tree& tree, const NodeRef& call);
  void leave();
  /// Records that `node` wrote `bytes` bytes and read `operands`.
  void wrote(size_t bytes, const NodeRef& node, std::vector<Operand> operands);

 private:
  // One run of a template. Its tree may have been freed by the time the trace is read.
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
    std::vector<Text> nested;          // Texts completed while this one was being written.
    std::vector<size_t> nested_until;  // For each of them, the number of pieces written before.
    size_t length = 0;
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // A line without surrounding space, and the offset of a byte in it.
  struct Line {
    std::string_view text;
    size_t at;
  };
  // The bytes of a line of a text.
  struct Span {
    size_t begin;
    size_t end;
  };
  static std::optional<Span> span_of(std::string_view content, size_t line);
  static size_t offset_of(const std::string& content, const Span& line, size_t column);
  static std::vector<Piece>::const_iterator piece_at(const Text& text, size_t at);
  static void add_action(Origin action, std::vector<Origin>& actions);
  Origin origin_of(const Piece& piece) const;
  void add_actions(const Text& text, size_t piece, std::vector<Origin>& actions) const;
  bool place(const Text& text, size_t at, Origin& origin) const;
  void place_nested(const Text& text, size_t piece, const Line& line, Origin& origin) const;
  void add_frames(const Piece& piece, Origin& origin) const;

  std::vector<Frame> frames_;
  std::vector<size_t> running_;  // Indexes of frames; kNone separates texts.
  std::vector<Text> open_;
  std::optional<Text> root_;
  size_t pieces_ = 0;
  size_t bytes_ = 0;
  bool overflowed_ = false;
};

/// Returns the line and column, both counted from 1, of a byte in a source.
base::SourcePos source_pos(const std::string& file, std::string_view source, size_t offset);

}  // namespace chartwright::tmpl
