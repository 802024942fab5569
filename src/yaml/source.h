// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chartwright::yaml {

/// A position in YAML text; lines, columns and indexes count from 0, in characters.
struct Mark {
  size_t index = 0;
  int line = 0;
  int column = 0;
};

/// Characters that a scanner may take many at a time. All of them are ASCII and none
/// is a line break.
enum class Run : uint8_t {
  kSpaces,  ///< Spaces only.
  kLine,    ///< Anything within a line.
  kPlain,   ///< Anything that continues a plain scalar in every context.
  kQuoted,  ///< Anything that needs no escape in both kinds of quoted scalar.
};

/// The characters of YAML text, checked piece by piece when they are needed, so that an error far
/// after the first document goes unnoticed exactly where go-yaml does not notice it. UTF-16 with a
/// byte order mark is supported. Source: go.yaml.in/yaml/v2 readerc.go.
class Source {
 public:
  /// `text` must outlive the source.
  explicit Source(std::string_view text);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Makes sure that the next `count` characters are checked. Returns false if one is malformed or
  /// not allowed in YAML; problem() then says why. NULs may be requested past the end of the text.
  bool need(size_t count) { return unread_ >= count || load(count); }
  const std::string& problem() const { return problem_; }

  /// Returns the byte `offset` bytes ahead, or 0 past the end (the text itself holds no NUL).
  unsigned char at(size_t offset = 0) const {
    return position_ + offset < text_.size() ? static_cast<unsigned char>(text_[position_ + offset])
                                             : 0;
  }
  bool at_end() const { return position_ >= text_.size(); }
  bool is(char c, size_t offset = 0) const { return at(offset) == static_cast<unsigned char>(c); }
  bool is_blank(size_t offset = 0) const { return is(' ', offset) || is('\t', offset); }
  /// Reports whether this is a line break: CR, LF, U+0085, U+2028 or U+2029.
  bool is_break(size_t offset = 0) const;
  bool is_break_or_end(size_t offset = 0) const { return at(offset) == 0 || is_break(offset); }
  bool is_blank_or_end(size_t offset = 0) const {
    return is_blank(offset) || is_break_or_end(offset);
  }
  /// Reports whether "---" or "..." starts a line here, followed by white space or the end.
  bool is_document_indicator() const;
  /// Reports whether a line starts here and go-yaml's buffer starts with a byte order mark.
  bool is_byte_order_mark() const;

  const Mark& mark() const { return mark_; }
  /// At the end of the text, moves the mark to the start of a line.
  void end_line();
  void skip();
  /// Skips a line break, if there is one; CR LF counts as one.
  void skip_break() { read_break(); }
  // The functions below return views into the text, or of literals.
  /// Reads a character.
  std::string_view read();
  /// Reads a run, as far as it is checked and followed by `ahead` checked characters, so that
  /// need(ahead) would have succeeded after each. Returns an empty view if there is no run.
  std::string_view read_run(Run run, size_t ahead);
  /// Reads a line break and returns its normal form: LF, or U+2028 and U+2029 unchanged.
  std::string_view read_break();
  /// Returns false if the text is a conversion, which is destroyed with the source.
  bool outlived_by_text() const { return transcoded_.empty(); }

 private:
  bool load(size_t count);
  bool check_piece();
  size_t checked_width(size_t at);
  bool fail(std::string_view problem);
  size_t width() const;
  size_t run_length(Run run, size_t ahead) const;
  void skip_ascii(size_t count);

  std::string transcoded_;
  std::string_view text_;
  std::string_view late_problem_;  // The problem that ended the conversion from UTF-16.
  size_t position_ = 0;
  size_t checked_ = 0;       // Bytes before this are known to be valid.
  size_t piece_end_ = 0;     // End of the piece being checked.
  size_t window_start_ = 0;  // Start of go-yaml's buffer; see is_byte_order_mark.
  size_t unread_ = 0;        // Characters between position_ and checked_.
  bool eof_ = false;
  Mark mark_;
  std::string problem_;
};

}  // namespace chartwright::yaml
