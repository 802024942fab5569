// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/source.h"
#include "yaml/text.h"

namespace chartwright::yaml {

enum class YamlTokenKind : uint8_t {
  kStreamStart,
  kStreamEnd,
  kVersionDirective,
  kTagDirective,
  kDocumentStart,
  kDocumentEnd,
  kBlockSequenceStart,
  kBlockMappingStart,
  kBlockEnd,
  kFlowSequenceStart,
  kFlowSequenceEnd,
  kFlowMappingStart,
  kFlowMappingEnd,
  kBlockEntry,
  kFlowEntry,
  kKey,
  kValue,
  kAlias,
  kAnchor,
  kTag,
  kScalar,
};

/// Its texts are views into the source and into what the scanner keeps.
struct YamlToken {
  YamlTokenKind kind = YamlTokenKind::kStreamEnd;
  bool plain = false;  ///< Of a scalar.
  YamlMark start;
  YamlMark end;
  std::string_view text;    ///< Scalar text, anchor or alias name, tag handle, "major.minor".
  std::string_view suffix;  ///< Tag suffix; prefix of a %TAG directive.
};

/// Tokens that wait to be taken.
class YamlTokenQueue {
 public:
  bool empty() const { return first_ == tokens_.size(); }
  size_t size() const { return tokens_.size() - first_; }
  const YamlToken& front() const { return tokens_[first_]; }
  void push_back(const YamlToken& token) { tokens_.push_back(token); }
  void insert(size_t offset, const YamlToken& token) {
    tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(first_ + offset), token);
  }
  void pop_front();

 private:
  std::vector<YamlToken> tokens_;  // Those before first_ are taken.
  size_t first_ = 0;
};

/// Why scanning or parsing stopped.
struct YamlProblem {
  /// go-yaml counts the lines of scanner errors from 1, those of other errors from 0.
  enum class Origin : uint8_t { kReader, kScanner, kParser };
  Origin origin = Origin::kReader;
  std::string text;
  YamlMark mark;
  YamlMark context_mark;
};

/// Cuts YAML 1.1 text into tokens. Source: go.yaml.in/yaml/v2 scannerc.go, whose every departure
/// from the specification (and from libyaml) charts may rest on. Methods that return bool return
/// false after a problem, and then the scanner is of no further use.
class YamlScanner {
 public:
  explicit YamlScanner(std::string_view text) : source_(text) {}

  /// The next token, which stays; null after a problem.
  const YamlToken* peek() { return head_ready_ || fetch_more() ? &tokens_.front() : nullptr; }
  /// Removes the token that peek() gave, and returns its text.
  std::string_view take_text();
  /// Removes the token that peek() gave.
  void skip();
  /// Keeps a text as long as those of the tokens.
  std::string_view keep(std::string text);
  /// Hands over what the texts of tokens are views into, beside the source. No more tokens then.
  YamlTexts take_texts() { return std::move(texts_); }
  const YamlProblem& problem() const { return problem_; }

 private:
  // A place where a key without "?" may have started.
  struct SimpleKey {
    bool possible = false;
    bool required = false;
    size_t token_number = 0;
    YamlMark mark;
  };
  // Which of keys_ may turn the token of a number into a key. Numbers are set in rising order.
  class KeyOfToken {
   public:
    std::optional<size_t> find(size_t token_number) const;
    void set(size_t token_number, size_t key);
    void erase(size_t token_number);

   private:
    using Entries = std::vector<std::pair<size_t, size_t>>;
    Entries::const_iterator lower_bound(size_t token_number) const {
      return std::lower_bound(entries_.begin(), entries_.end(), std::pair(token_number, size_t{0}));
    }
    Entries entries_;
  };
  enum class KeyState : uint8_t { kValid, kInvalid, kFailed };
  enum class Chomping : uint8_t { kStrip, kClip, kKeep };
  struct BlockHeader {
    Chomping chomping = Chomping::kClip;
    int increment = 0;
  };
  // White space and line breaks between the words of a scalar, until it is known what follows.
  struct Gap {
    std::string_view spaces;  // Before the first break, side by side in the source.
    std::string_view first_break;
    YamlText more_breaks;
    bool has_break = false;

    void add_blank(std::string_view blank);
    void add_break(std::string_view text);
    // Writes what the gap stands for: the spaces, or the folded breaks.
    void close(YamlText& out);
  };
  static constexpr size_t kAppend = static_cast<size_t>(-1);

  bool fail(const YamlMark& context, std::string_view problem);
  bool need(size_t count) { return source_.need(count) || fail_reading(); }
  bool fail_reading();
  /// Goes on by one character and makes sure that the next one can be looked at.
  bool next();

  bool fetch_more();
  bool fetch_next();
  bool fetch_indicator();
  bool fetch_content();
  bool starts_plain() const;
  std::string_view keep(YamlText&& text);
  void push(const YamlToken& token) { tokens_.push_back(token); }
  void insert(size_t number, const YamlToken& token);
  YamlToken token_here(YamlTokenKind kind) const;
  YamlToken take_indicator(YamlTokenKind kind, size_t characters);

  KeyState check_key(SimpleKey& key);
  bool save_simple_key();
  bool remove_simple_key();
  bool open_flow_level();
  void close_flow_level();
  bool roll_indent(int column, size_t number, YamlTokenKind kind, const YamlMark& mark);
  void unroll_indent(int column);

  bool fetch_stream_end();
  bool fetch_directive();
  bool fetch_document_indicator(YamlTokenKind kind);
  bool fetch_flow_start(YamlTokenKind kind);
  bool fetch_flow_end(YamlTokenKind kind);
  bool fetch_flow_entry();
  bool fetch_block_entry();
  bool fetch_key();
  bool fetch_value();
  bool fetch_complex_value();
  bool fetch_anchor(YamlTokenKind kind);
  bool fetch_tag();
  bool skip_to_token();
  bool skip_blanks();
  bool skip_comment();
  bool finish_line(const YamlMark& start);

  bool scan_version(const YamlMark& start, YamlToken& token);
  bool scan_version_number(const YamlMark& start, std::string& out);
  bool scan_tag_directive(const YamlMark& start, YamlToken& token);
  bool scan_words(std::string& out);
  bool scan_tag_handle(const YamlMark& start, bool in_directive, std::string& handle);
  bool scan_tag_uri(const YamlMark& start, std::string_view head, std::string& uri);
  bool scan_uri_escapes(const YamlMark& start, std::string& out);
  bool scan_shorthand_tag(const YamlMark& start, YamlToken& token);

  bool fetch_block_scalar();
  bool scan_block_header(const YamlMark& start, BlockHeader& header);
  bool scan_block_increment(const YamlMark& start, BlockHeader& header);
  bool scan_chomping(BlockHeader& header);
  bool scan_block_text(const YamlMark& start, bool literal, const BlockHeader& header,
                       YamlText& out);
  bool scan_block_breaks(const YamlMark& start, int& indent, YamlText& breaks);
  bool fetch_quoted_scalar();
  bool scan_quoted_word(const YamlMark& start, char quote, YamlText& out, Gap& gap);
  bool scan_escape(const YamlMark& start, std::string& out);
  bool scan_code_point(const YamlMark& start, size_t digits, std::string& out);
  bool scan_quoted_gap(Gap& gap);
  bool fetch_plain_scalar();
  bool ends_plain() const;
  bool scan_plain_gap(const YamlMark& start, int indent, Gap& gap);

  YamlSource source_;
  YamlProblem problem_;
  YamlTexts texts_;
  YamlTokenQueue tokens_;
  size_t tokens_taken_ = 0;
  bool head_ready_ = false;
  bool started_ = false;
  bool simple_key_allowed_ = true;
  int flow_level_ = 0;
  int indent_ = -1;
  std::vector<int> indents_;
  std::vector<SimpleKey> keys_ = {SimpleKey{}};
  KeyOfToken key_of_token_;
};

}  // namespace chartwright::yaml
