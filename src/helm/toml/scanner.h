// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

/// A piece of a TOML document and the line on which it ends.
struct TomlToken {
  std::string_view text;
  int line = 0;
};

/// Reads a TOML document rune by rune and knows the line of an error. The first invalid byte or
/// control character ends the reading: from then on every rune is kFault and every error is that
/// one. Errors are kParse with a line and without a file. The text must outlive the scanner.
/// Source: BurntSushi/toml v1.6.0 lex.go, the methods of lexer.
class TomlScanner {
 public:
  static constexpr char32_t kEnd = 0;
  static constexpr char32_t kFault = 0x110000;

  TomlScanner(std::string_view text, TomlRule rule) : text_(text), rule_(rule) {}
  /// Release 1.5 of the library reads TOML 1.0, later ones 1.1.
  TomlRule rule() const { return rule_; }

  char32_t next();
  /// Steps back one rune.
  void backup();
  char32_t peek();
  /// Takes the next rune if it is `wanted`.
  bool accept(char32_t wanted);
  /// Passes spaces and tabs, and forgets them.
  void skip_blanks();
  /// Forgets what was read of the current token.
  void ignore() { start_ = pos_; }
  std::string_view current() const { return text_.substr(start_, pos_ - start_); }
  /// Of the last rune read.
  int line() const { return line_; }
  /// Ends the token being read.
  base::Result<TomlToken> take();

  /// An error on this line, or on the one before where the last one is empty.
  base::Error error(std::string message) const;
  /// An error on the line before: what is wrong is the line end just read.
  base::Error error_before(std::string message) const;
  /// An error on this line, or on the one before at the end of the text.
  base::Error escape_error(std::string message) const;

 private:
  char32_t fault(std::string message);

  std::string_view text_;
  TomlRule rule_;
  size_t start_ = 0;  // Of the current token.
  size_t pos_ = 0;
  int line_ = 1;
  bool at_end_ = false;  // The last rune read was kEnd.
  std::string fault_;    // Message of the first fault; "" while there is none.
};

/// A space or a tab.
constexpr bool is_toml_blank(char32_t c) { return c == ' ' || c == '\t'; }
constexpr bool is_toml_line_end(char32_t c) { return c == '\n' || c == '\r'; }
constexpr bool is_toml_digit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool is_toml_hex(char32_t c) {
  return is_toml_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
/// A character of a key that needs no quotes.
constexpr bool is_toml_bare(char32_t c) {
  return is_toml_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '-';
}

}  // namespace chartwright::helm
