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

enum class TokenKind : uint8_t {
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

/// A token. Its strings are views into the source, or into storage of the scanner.
struct Token {
  TokenKind kind = TokenKind::kStreamEnd;
  bool plain = false;  ///< For a scalar.
  Mark start;
  Mark end;
  std::string_view text;    ///< Scalar text, anchor or alias name, tag handle, "major.minor".
  std::string_view suffix;  ///< Tag suffix; prefix of a %TAG directive.
};

/// Tokens that were scanned and not yet taken.
class TokenQueue {
 public:
  bool empty() const { return first_ == tokens_.size(); }
  size_t size() const { return tokens_.size() - first_; }
  const Token& front() const { return tokens_[first_]; }
  void push_back(const Token& token) { tokens_.push_back(token); }
  void insert(size_t offset, const Token& token) {
    tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(first_ + offset), token);
  }
  void pop_front();

 private:
  std::vector<Token> tokens_;  // Those before first_ are taken.
  size_t first_ = 0;
};

/// The reason why scanning or parsing stopped.
struct Problem {
  /// go-yaml counts the lines of scanner errors from 1, and those of other errors from 0.
  enum class Origin : uint8_t { kReader, kScanner, kParser };
  Origin origin = Origin::kReader;
  std::string text;
  Mark mark;
  Mark context_mark;
};

/// Splits YAML 1.1 text into tokens. Source: go.yaml.in/yaml/v2 scannerc.go; charts may rely on
/// every deviation of it from the specification (and from libyaml). Methods that return bool return
/// false after a problem; the scanner must not be used afterwards.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : source_(text) {}

  /// Returns the next token without taking it; null after a problem.
  const Token* peek() { return head_ready_ || fetch_more() ? &tokens_.front() : nullptr; }
  /// Removes the token that peek() returned, and returns its text.
  std::string_view take_text();
  /// Removes the token that peek() returned.
  void skip();
  /// Keeps a string as long as those of the tokens.
  std::string_view keep(std::string text);
  /// Hands over the strings that tokens have views into, apart from the source. No further tokens
  /// may be read.
  Texts take_texts() { return std::move(texts_); }
  const Problem& problem() const { return problem_; }

 private:
  // A position at which a key without "?" may have started.
  struct SimpleKey {
    bool possible = false;
    bool required = false;
    size_t token_number = 0;
    Mark mark;
  };
  // Maps the number of a token to the entry of keys_ that may turn it into a key. Numbers are set
  // in ascending order.
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
  // White space and line breaks between the words of a scalar, kept until the scanner
  // knows what follows.
  struct Gap {
    std::string_view spaces;  // Before the first break, contiguous in the source.
    std::string_view first_break;
    Text more_breaks;
    bool has_break = false;

    void add_blank(std::string_view blank);
    void add_break(std::string_view text);
    // Writes the spaces, or the folded breaks, that the gap stands for.
    void close(Text& out);
  };
  static constexpr size_t kAppend = static_cast<size_t>(-1);

  bool fail(const Mark& context, std::string_view problem);
  bool need(size_t count) { return source_.need(count) || fail_reading(); }
  bool fail_reading();
  /// Advances by one character and makes sure that the next one is available.
  bool next();

  bool fetch_more();
  bool fetch_next();
  bool fetch_indicator();
  bool fetch_content();
  bool starts_plain() const;
  std::string_view keep(Text&& text);
  void push(const Token& token) { tokens_.push_back(token); }
  void insert(size_t number, const Token& token);
  Token token_here(TokenKind kind) const;
  Token take_indicator(TokenKind kind, size_t characters);

  KeyState check_key(SimpleKey& key);
  bool save_simple_key();
  bool remove_simple_key();
  bool open_flow_level();
  void close_flow_level();
  bool roll_indent(int column, size_t number, TokenKind kind, const Mark& mark);
  void unroll_indent(int column);

  bool fetch_stream_end();
  bool fetch_directive();
  bool fetch_document_indicator(TokenKind kind);
  bool fetch_flow_start(TokenKind kind);
  bool fetch_flow_end(TokenKind kind);
  bool fetch_flow_entry();
  bool fetch_block_entry();
  bool fetch_key();
  bool fetch_value();
  bool fetch_complex_value();
  bool fetch_anchor(TokenKind kind);
  bool fetch_tag();
  bool skip_to_token();
  bool skip_blanks();
  bool skip_comment();
  bool finish_line(const Mark& start);

  bool scan_version(const Mark& start, Token& token);
  bool scan_version_number(const Mark& start, std::string& out);
  bool scan_tag_directive(const Mark& start, Token& token);
  bool scan_words(std::string& out);
  bool scan_tag_handle(const Mark& start, bool in_directive, std::string& handle);
  bool scan_tag_uri(const Mark& start, std::string_view head, std::string& uri);
  bool scan_uri_escapes(const Mark& start, std::string& out);
  bool scan_shorthand_tag(const Mark& start, Token& token);

  bool fetch_block_scalar();
  bool scan_block_header(const Mark& start, BlockHeader& header);
  bool scan_block_increment(const Mark& start, BlockHeader& header);
  bool scan_chomping(BlockHeader& header);
  bool scan_block_text(const Mark& start, bool literal, const BlockHeader& header, Text& out);
  bool scan_block_breaks(const Mark& start, int& indent, Text& breaks);
  bool fetch_quoted_scalar();
  bool scan_quoted_word(const Mark& start, char quote, Text& out, Gap& gap);
  bool scan_escape(const Mark& start, std::string& out);
  bool scan_code_point(const Mark& start, size_t digits, std::string& out);
  bool scan_quoted_gap(Gap& gap);
  bool fetch_plain_scalar();
  bool ends_plain() const;
  bool scan_plain_gap(const Mark& start, int indent, Gap& gap);

  Source source_;
  Problem problem_;
  Texts texts_;
  TokenQueue tokens_;
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
