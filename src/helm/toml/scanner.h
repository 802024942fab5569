// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/result.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

/// A piece of a TOML document and the line on which it ends.
struct TomlToken {
  std::string_view text;
  int line = 0;
};

/// Reads a TOML document rune by rune and tracks lines for errors. After the first invalid byte or
/// control character, every further rune is kFault and every error reports that character. Errors
/// are kParse with a line and without a file. The text must outlive the scanner.
/// Source: BurntSushi/toml v1.6.0 lex.go, the methods of lexer.
class TomlScanner {
 public:
  static constexpr char32_t kEnd = 0;
  static constexpr char32_t kFault = 0x110000;

  TomlScanner(std::string_view text, TomlRule rule) : text_(text), rule_(rule) {}
  /// Release 1.5 of the library supports TOML 1.0, later ones 1.1.
  TomlRule rule() const { return rule_; }

  char32_t next();
  /// Steps back one rune.
  void backup();
  char32_t peek();
  /// Consumes the next rune if it is `wanted`.
  bool accept(char32_t wanted);
  /// Skips spaces and tabs, and starts a new token after them.
  void skip_blanks();
  /// Starts a new token at the current position.
  void ignore() { start_ = pos_; }
  std::string_view current() const { return text_.substr(start_, pos_ - start_); }
  /// Returns the line of the last rune read.
  int line() const { return line_; }
  /// Ends the current token and returns it.
  base::Result<TomlToken> take();

  /// Returns an error on this line, or on the previous one at the end of a document that ends with
  /// a line break.
  base::Error error(std::string message) const;
  /// Returns an error on the previous line: the line break just read is the error.
  base::Error error_before(std::string message) const;
  /// Returns an error on this line, or on the previous one at the end of the document.
  base::Error escape_error(std::string message) const;

 private:
  char32_t fault(std::string message);

  std::string_view text_;
  TomlRule rule_;
  size_t start_ = 0;  // Of the current token.
  size_t pos_ = 0;
  int line_ = 1;
  bool at_end_ = false;  // The last rune read was kEnd.
  std::string fault_;    // Message of the first fault; "" before it.
};

/// Returns `result`; an error is given the line.
template <typename T>
base::Result<T> on_toml_line(base::Result<T> result, int line) {
  return result.ok() ? std::move(result) : std::move(result).error().at({"", line, 0});
}

/// Reports whether `c` is a space or a tab.
constexpr bool is_toml_blank(char32_t c) { return c == ' ' || c == '\t'; }
constexpr bool is_toml_line_end(char32_t c) { return c == '\n' || c == '\r'; }
constexpr bool is_toml_digit(char32_t c) { return base::is_ascii_digit(c); }
constexpr bool is_toml_hex(char32_t c) { return base::is_ascii_hex_digit(c); }
/// Reports whether `c` is allowed in an unquoted key.
constexpr bool is_toml_bare(char32_t c) {
  return base::is_ascii_alphanumeric(c) || c == '_' || c == '-';
}

}  // namespace chartwright::helm
