// SPDX-License-Identifier: Apache-2.0
#include "value/json_syntax.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "base/ascii.h"
#include "base/unicode.h"

namespace chartwright::value {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Quotes a byte as Go does: the code point of the same number, in single quotes.
std::string quote_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\'";
  constexpr std::string_view kLetters = "abfnrtv\\'";
  const size_t at = kEscaped.find(c);
  if (at != std::string_view::npos && c != '\0') {
    return std::string("'\\") + kLetters[at] + "'";
  }
  if (base::is_print(byte)) {
    std::string out = "'";
    base::append_rune(out, byte);
    return out + "'";
  }
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), byte < 0x80 ? "'\\x%02x'" : "'\\u%04x'", byte);
  return buffer.data();
}

// The token that the grammar expects next. Scalars are read whole in between.
enum class Expect : uint8_t {
  kValue,
  kValueOrEnd,  // After '['.
  kKey,
  kKeyOrEnd,  // After '{'.
  kColon,
  kAfterValue,
};

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::optional<JsonSyntaxError> run() {
    while (!error_) {
      while (at_ < text_.size() && is_space(text_[at_])) {
        ++at_;
      }
      if (at_ == text_.size()) {
        if (expect_ != Expect::kAfterValue || !open_.empty()) {
          fail_at_end();
        }
        break;
      }
      step(text_[at_]);
    }
    return error_;
  }

 private:
  void fail_at_end() { error_ = {text_.size(), "unexpected end of JSON input"}; }

  // Blames the current byte or, at the end of the text, a space, which Go reads there
  // to end a token.
  void fail(std::string_view context) {
    const char blamed = at_ < text_.size() ? text_[at_] : ' ';
    error_ = {at_, "invalid character " + quote_byte(blamed) + " " + std::string(context)};
  }

  // Consumes one token that starts with `c`.
  void step(char c) {
    switch (expect_) {
      case Expect::kValueOrEnd:
        return c == ']' ? close() : value(c);
      case Expect::kValue:
        return value(c);
      case Expect::kKeyOrEnd:
        return c == '}' ? close() : key(c);
      case Expect::kKey:
        return key(c);
      case Expect::kColon:
        if (c != ':') {
          return fail("after object key");
        }
        ++at_;
        expect_ = Expect::kValue;
        return;
      case Expect::kAfterValue:
        return after_value(c);
    }
  }

  void open(char bracket, Expect expect) {
    open_.push_back(bracket);
    ++at_;
    expect_ = expect;
  }

  void close() {
    open_.pop_back();
    ++at_;
    expect_ = Expect::kAfterValue;
  }

  void after_value(char c) {
    if (open_.empty()) {
      return fail("after top-level value");
    }
    const bool in_object = open_.back() == '{';
    if (c == ',') {
      ++at_;
      expect_ = in_object ? Expect::kKey : Expect::kValue;
      return;
    }
    if (c == (in_object ? '}' : ']')) {
      return close();
    }
    fail(in_object ? "after object key:value pair" : "after array element");
  }

  void key(char c) {
    if (c != '"') {
      return fail("looking for beginning of object key string");
    }
    string();
    expect_ = Expect::kColon;
  }

  void value(char c) {
    if (c == '{') {
      return open(c, Expect::kKeyOrEnd);
    }
    if (c == '[') {
      return open(c, Expect::kValueOrEnd);
    }
    if (c == '"') {
      string();
    } else if (c == '-' || base::is_ascii_digit(c)) {
      number();
    } else if (c == 't') {
      literal("true");
    } else if (c == 'f') {
      literal("false");
    } else if (c == 'n') {
      literal("null");
    } else {
      return fail("looking for beginning of value");
    }
    expect_ = Expect::kAfterValue;
  }

  void literal(std::string_view word) {
    for (const char expected : word) {
      if (at_ >= text_.size() || text_[at_] != expected) {
        return fail("in literal " + std::string(word) + " (expecting " + quote_byte(expected) +
                    ")");
      }
      ++at_;
    }
  }

  // at_ is on the opening quote.
  void string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) {
        return fail("in string literal");
      }
      if (text_[at_] == '\\') {
        escape();
        if (error_) {
          return;
        }
      } else {
        ++at_;
      }
    }
    if (at_ >= text_.size()) {
      return fail_at_end();
    }
    ++at_;
  }

  // at_ is on the backslash.
  void escape() {
    ++at_;
    constexpr std::string_view kEscapes = "bfnrt\\/\"u";
    if (at_ >= text_.size() || kEscapes.find(text_[at_]) == std::string_view::npos) {
      return fail("in string escape code");
    }
    const bool unicode = text_[at_++] == 'u';
    for (int i = 0; unicode && i < 4; ++i) {
      if (at_ >= text_.size() || !base::is_ascii_hex_digit(text_[at_])) {
        return fail("in \\u hexadecimal character escape");
      }
      ++at_;
    }
  }

  // Reads one or more digits.
  void digits(std::string_view context) {
    if (at_ >= text_.size() || !base::is_ascii_digit(text_[at_])) {
      return fail(context);
    }
    while (at_ < text_.size() && base::is_ascii_digit(text_[at_])) {
      ++at_;
    }
  }

  // number: "-"? ("0" | digits) ("." digits)? ([eE] [+-]? digits)?
  void number() {
    if (text_[at_] == '-') {
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '0') {
      ++at_;
    } else {
      digits("in numeric literal");
    }
    if (!error_ && at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      digits("after decimal point in numeric literal");
    }
    if (!error_ && at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
        ++at_;
      }
      digits("in exponent of numeric literal");
    }
  }

  const std::string_view text_;
  size_t at_ = 0;
  Expect expect_ = Expect::kValue;
  std::vector<char> open_;  // The opening brackets around at_.
  std::optional<JsonSyntaxError> error_;
};

}  // namespace

std::optional<JsonSyntaxError> find_json_syntax_error(std::string_view text) {
  return Checker(text).run();
}

base::SourcePos position_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const size_t last_break = before.rfind('\n');
  const std::string_view line =
      last_break == std::string_view::npos ? before : before.substr(last_break + 1);
  base::SourcePos pos;
  pos.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  pos.column = 1 + static_cast<int>(base::rune_count(line));
  return pos;
}

}  // namespace chartwright::value
