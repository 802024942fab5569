// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/string.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/unicode.h"
#include "go/quote.h"

// Source: BurntSushi/toml v1.6.0 lex.go from lexString to lexLongUnicodeEscape, parse.go
// stripFirstNewline, stripEscapedNewlines and replaceEscapes.
namespace chartwright::helm {
namespace {

using base::Result;
using base::Status;

constexpr char32_t kFault = TomlScanner::kFault;

base::Error malformed(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

/// Returns the character of a one-letter escape, or 0 if there is no such escape.
char simple_escape(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'f':
      return '\f';
    case 'r':
      return '\r';
    case 'e':
      return '\x1b';
    case '"':
    case '\\':
      return letter;
    default:
      return '\0';
  }
}

/// Returns the number of hexadecimal digits after \x, \u or \U.
size_t escape_digits(char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    default:
      return 8;
  }
}

/// Returns the result of escape_digits in words.
std::string escape_digits_name(char letter) {
  switch (letter) {
    case 'x':
      return "two";
    case 'u':
      return "four";
    default:
      return "eight";
  }
}

Result<char32_t> read_code_point(std::string_view digits) {
  uint32_t code = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return malformed("Escaped character '\\u" + std::string(digits) + "' is not valid UTF-8.");
  }
  return static_cast<char32_t>(code);
}

Result<std::string> replace_escapes(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      out += body[i];
      continue;
    }
    const char letter = body[++i];
    if (letter == ' ' || letter == '\t') {
      return malformed(std::string("invalid escape: '\\") + letter + "'");
    }
    if (const char c = simple_escape(letter); c != '\0') {
      out += c;
      continue;
    }
    const size_t count = escape_digits(letter);
    CW_TRY(const char32_t code, read_code_point(body.substr(i + 1, count)));
    base::append_rune(out, code);
    i += count;
  }
  return out;
}

std::string_view without_first_line_end(std::string_view body) {
  if (body.starts_with("\r\n")) {
    return body.substr(2);
  }
  return body.starts_with('\n') ? body.substr(1) : body;
}

std::string without_escaped_line_ends(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  size_t i = 0;
  while (i < body.size()) {
    if (body[i] != '\\') {
      out += body[i++];
      continue;
    }
    const size_t end = std::min(body.find_first_not_of(" \t\r\n", i + 1), body.size());
    if (body.substr(i + 1, end - i - 1).find('\n') != std::string_view::npos) {
      i = end;
      continue;
    }
    out += body.substr(i, 2);  // Replacing escapes reports a blank after a backslash.
    i += 2;
  }
  return out;
}

/// Reads and checks the characters after a backslash.
Status check_escape(TomlScanner& scan) {
  constexpr std::u32string_view kLetters = U"btnfr\" \t\\";
  const bool is_1_1 = scan.rule() != TomlRule::k1_5;
  const char32_t letter = scan.next();
  if (kLetters.find(letter) != std::u32string_view::npos || (letter == 'e' && is_1_1)) {
    return {};
  }
  if (!(letter == 'x' && is_1_1) && letter != 'u' && letter != 'U') {
    std::string message = "invalid escape in string '\\";
    base::append_rune(message, letter);
    return scan.escape_error(message + "'");
  }
  const char letter_byte = static_cast<char>(letter);
  const size_t count = escape_digits(letter_byte);
  for (size_t i = 0; i < count; ++i) {
    if (!is_toml_hex(scan.next())) {
      return scan.error("expected " + escape_digits_name(letter_byte) +
                        " hexadecimal digits after '\\" + letter_byte + "', but got " +
                        go::quote(scan.current()) + " instead");
    }
  }
  return {};
}

/// Returns the content of a single-line string without replacing escapes, and consumes the closing
/// quote.
Result<TomlToken> one_line_body(TomlScanner& scan, char32_t quote) {
  while (true) {
    const char32_t c = scan.next();
    if (c == TomlScanner::kEnd || c == kFault) {
      return scan.error(quote == '"' ? "unexpected EOF; expected '\"'"
                                     : "unexpected EOF; expected \"'\"");
    }
    if (is_toml_line_end(c)) {
      return scan.error_before("strings cannot contain newlines");
    }
    if (c == '\\' && quote == '"') {
      CW_TRY_VOID(check_escape(scan));
    } else if (c == quote) {
      scan.backup();
      CW_TRY(const TomlToken body, scan.take());
      scan.next();
      scan.ignore();
      return body;
    }
  }
}

/// Reads the content of a multi-line string, likewise.
class MultilineReader {
 public:
  MultilineReader(TomlScanner& scan, char32_t quote) : scan_(scan), quote_(quote) {}

  Result<TomlToken> body() {
    while (true) {
      const char32_t c = scan_.next();
      if (c == TomlScanner::kEnd || c == kFault) {
        return scan_.error(quote_ == '"' ? "unexpected EOF; expected '\"\"\"'"
                                         : "unexpected EOF; expected \"'''\"");
      }
      if (c == '\\' && quote_ == '"') {
        CW_TRY_VOID(escape());
      } else if (c == quote_) {
        CW_TRY(const bool is_end, closing());
        if (is_end) {
          return take();
        }
      }
    }
  }

 private:
  Status escape() {
    if (is_toml_line_end(scan_.next())) {
      return {};
    }
    scan_.backup();
    return check_escape(scan_);
  }

  /// Called after one quote. Reports whether it and the next two end the string; up to two more
  /// quotes before them belong to its content.
  Result<bool> closing() {
    if (!scan_.accept(quote_)) {
      return false;
    }
    if (!scan_.accept(quote_)) {
      scan_.backup();
      return false;
    }
    if (scan_.peek() != quote_) {
      return true;
    }
    const std::string five(5, static_cast<char>(quote_));
    const bool is_escaped = quote_ == '"' && scan_.current().ends_with("\\" + five);
    if (scan_.current().ends_with(five) && !is_escaped) {
      const std::string six = five + static_cast<char>(quote_);
      return scan_.error("unexpected " + (quote_ == '"' ? "'" + six + "'" : "\"" + six + "\""));
    }
    scan_.backup();
    scan_.backup();
    return false;
  }

  Result<TomlToken> take() {
    for (int i = 0; i < 3; ++i) {
      scan_.backup();
    }
    CW_TRY(const TomlToken body, scan_.take());
    for (int i = 0; i < 3; ++i) {
      scan_.next();
    }
    scan_.ignore();
    return body;
  }

  TomlScanner& scan_;
  char32_t quote_;
};

}  // namespace

Result<std::string> read_toml_key_string(TomlScanner& scan, char32_t quote) {
  scan.ignore();
  CW_TRY(const TomlToken body, one_line_body(scan, quote));
  return quote == '"' ? on_toml_line(replace_escapes(body.text), body.line)
                      : std::string(body.text);
}

Result<std::string> read_toml_string(TomlScanner& scan, char32_t quote) {
  if (!scan.accept(quote)) {
    return read_toml_key_string(scan, quote);
  }
  if (!scan.accept(quote)) {
    scan.backup();
    return read_toml_key_string(scan, quote);
  }
  scan.ignore();
  CW_TRY(const TomlToken body, MultilineReader(scan, quote).body());
  const std::string_view text = without_first_line_end(body.text);
  return quote == '"' ? on_toml_line(replace_escapes(without_escaped_line_ends(text)), body.line)
                      : std::string(text);
}

}  // namespace chartwright::helm
