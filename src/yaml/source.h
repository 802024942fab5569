// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chartwright::yaml {

/// A place in a YAML text; lines, columns and indexes count from 0, in characters.
struct YamlMark {
  size_t index = 0;
  int line = 0;
  int column = 0;
};

/// Characters that a scanner may take many at a time, all of them ASCII and none of them a break.
enum class YamlRun : uint8_t {
  kSpaces,  ///< Only these.
  kLine,    ///< Anything within a line.
  kPlain,   ///< What goes on with a plain scalar wherever it stands.
  kQuoted,  ///< What stands for itself in a quoted scalar of either kind.
};

/// The characters of a YAML text, checked piece by piece as they are asked for, so that an error
/// far behind the first document goes unseen exactly where go-yaml does not see it. UTF-16 with a
/// byte order mark is understood. Source: go.yaml.in/yaml/v2 readerc.go.
class YamlSource {
 public:
  /// `text` must outlive the source.
  explicit YamlSource(std::string_view text);
  YamlSource(const YamlSource&) = delete;
  YamlSource& operator=(const YamlSource&) = delete;

  /// Makes sure that the next `count` characters are checked. False where one is malformed or not
  /// allowed in YAML: then problem() says why. Past the end of the text NULs may be asked for.
  bool need(size_t count) { return unread_ >= count || load(count); }
  const std::string& problem() const { return problem_; }

  /// The byte `offset` bytes ahead; 0 past the end (the text itself holds no NUL).
  unsigned char at(size_t offset = 0) const {
    return position_ + offset < text_.size() ? static_cast<unsigned char>(text_[position_ + offset])
                                             : 0;
  }
  bool at_end() const { return position_ >= text_.size(); }
  bool is(char c, size_t offset = 0) const { return at(offset) == static_cast<unsigned char>(c); }
  bool is_blank(size_t offset = 0) const { return is(' ', offset) || is('\t', offset); }
  /// CR, LF, U+0085, U+2028 or U+2029.
  bool is_break(size_t offset = 0) const;
  bool is_break_or_end(size_t offset = 0) const { return at(offset) == 0 || is_break(offset); }
  bool is_blank_or_end(size_t offset = 0) const {
    return is_blank(offset) || is_break_or_end(offset);
  }
  /// "---" or "..." at the start of a line, followed by white space or the end.
  bool is_document_indicator() const;
  /// True where a byte order mark opens a line of the piece of text at hand.
  bool is_byte_order_mark() const;

  const YamlMark& mark() const { return mark_; }
  /// At the end of the text, makes the end the start of a line.
  void end_line();
  void skip();
  /// Skips a line break, CR LF being one; nothing else.
  void skip_break() { read_break(); }
  // What follows gives views into the text, or of literals.
  /// Reads a character.
  std::string_view read();
  /// Reads a run, as far as it is checked and `ahead` checked characters follow it, so that
  /// need(ahead) would have held after each. Empty where there is none.
  std::string_view read_run(YamlRun run, size_t ahead);
  /// Reads a line break; gives its normal form: LF, or U+2028 and U+2029 as they are.
  std::string_view read_break();
  /// False where the text is a conversion, which goes with the source.
  bool outlived_by_text() const { return transcoded_.empty(); }

 private:
  bool load(size_t count);
  bool check_piece();
  size_t checked_width(size_t at);
  bool fail(std::string_view problem);
  size_t width() const;
  size_t run_length(YamlRun run, size_t ahead) const;
  void skip_ascii(size_t count);

  std::string transcoded_;
  std::string_view text_;
  std::string_view late_problem_;  // What stopped the conversion from UTF-16, behind text_.
  size_t position_ = 0;
  size_t checked_ = 0;       // Bytes before this are known to be good.
  size_t piece_end_ = 0;     // How far the piece being checked reaches.
  size_t window_start_ = 0;  // Where go-yaml's buffer starts; see is_byte_order_mark.
  size_t unread_ = 0;        // Characters between position_ and checked_.
  bool eof_ = false;
  YamlMark mark_;
  std::string problem_;
};

}  // namespace chartwright::yaml
