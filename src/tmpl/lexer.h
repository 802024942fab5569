// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chartwright::tmpl {

/// The kind of a token. Source: Go text/template/parse lex.go.
enum class TokenType : uint8_t {
  kError,  ///< The token's text is the error message.
  kBool,
  kChar,          ///< A printable ASCII character without a kind of its own, such as ','.
  kCharConstant,  ///< 'x', quotes included.
  kComplex,       ///< 1+2i; an imaginary number alone is a kNumber.
  kAssign,        ///< =
  kDeclare,       ///< :=
  kEof,
  kField,  ///< .name
  kIdentifier,
  kLeftDelim,
  kLeftParen,
  kNumber,
  kPipe,
  kRawString,  ///< Back quotes included.
  kRightDelim,
  kRightParen,
  kSpace,
  kString,    ///< Double quotes included.
  kText,      ///< The text between actions.
  kVariable,  ///< $ or $name
  kBlock,     ///< The first keyword; all kinds from here on are keywords.
  kBreak,
  kContinue,
  kDot,
  kDefine,
  kElse,
  kEnd,
  kIf,
  kNil,
  kRange,
  kTemplate,
  kWith,
};

/// A token. `text` points into the lexer's input, or for kError into the lexer.
struct Token {
  TokenType type = TokenType::kEof;
  size_t pos = 0;  ///< Byte offset in the input.
  int line = 1;    ///< 1-based line of its first byte.
  std::string_view text;
};

/// Formats a token as Go's error messages do: quoted and truncated to 10 characters, a keyword as
/// <if>.
std::string to_string(const Token& token);

/// Whether "break" and "continue" are keywords or function names.
enum class LoopKeywords : uint8_t { kEnabled, kDisabled };

/// Splits a template into tokens, one per call. Skips comments and trimmed space. Treats the input
/// as ended after an error token. Not thread-safe.
class Lexer {
 public:
  /// `input` must outlive the lexer and its tokens.
  explicit Lexer(std::string_view input) : input_(input) {}
  void set_break_keyword(LoopKeywords keywords) { break_keyword_ = keywords; }
  void set_continue_keyword(LoopKeywords keywords) { continue_keyword_ = keywords; }
  Token next();

 private:
  // The comment on each lexing function states the input position on entry. The function either
  // stores a token in token_ and returns kEmit, or returns the next state.
  enum class State : uint8_t { kEmit, kText, kLeftDelim, kComment, kInsideAction, kRightDelim };

  State lex_text();
  State lex_left_delim();
  State lex_comment();
  State lex_right_delim();
  State lex_inside_action();
  State lex_punctuation(char32_t rune);
  State lex_colon();
  State lex_paren(char32_t rune);
  State lex_space();
  void skip_name();
  State lex_identifier();
  State lex_field_or_variable(TokenType type);
  State lex_quoted(char quote, TokenType type, std::string_view error);
  State lex_raw_quote();
  State lex_number();
  bool scan_number();
  bool is_loop_function(TokenType type) const;

  bool at_right_delim(bool* trims) const;
  bool at_terminator() const;
  char32_t next_rune();
  char32_t peek_rune() const;
  void back_up(char32_t rune);
  bool accept(std::string_view valid);
  void accept_run(std::string_view valid);
  std::string_view rest() const { return input_.substr(pos_); }
  std::string_view current() const { return input_.substr(start_, pos_ - start_); }
  void skip_pending();
  State emit(TokenType type);
  State fail(std::string message);

  std::string_view input_;
  size_t pos_ = 0;
  size_t start_ = 0;  // Of the token being read.
  int line_ = 1;
  int start_line_ = 1;
  int paren_depth_ = 0;
  bool inside_action_ = false;
  LoopKeywords break_keyword_ = LoopKeywords::kEnabled;
  LoopKeywords continue_keyword_ = LoopKeywords::kEnabled;
  Token token_;
  std::string error_;
};

}  // namespace chartwright::tmpl
