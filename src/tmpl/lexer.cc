// SPDX-License-Identifier: Apache-2.0
#include "tmpl/lexer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/ascii.h"
#include "base/unicode.h"
#include "go/quote.h"

namespace chartwright::tmpl {
namespace {

constexpr std::string_view kLeftDelimText = "{{";
constexpr std::string_view kRightDelimText = "}}";
constexpr std::string_view kLeftCommentText = "/*";
constexpr std::string_view kRightCommentText = "*/";
constexpr std::string_view kSpaces = " \t\r\n";
constexpr size_t kTrimMarkerLength = 2;  // '-' and the adjacent space.
constexpr char32_t kEofRune = 0xFFFFFFFF;
constexpr size_t kShownRunes = 10;  // Length of a token in an error message.

constexpr std::array<std::pair<std::string_view, TokenType>, 12> kKeywords = {{
    {".", TokenType::kDot},
    {"block", TokenType::kBlock},
    {"break", TokenType::kBreak},
    {"continue", TokenType::kContinue},
    {"define", TokenType::kDefine},
    {"else", TokenType::kElse},
    {"end", TokenType::kEnd},
    {"if", TokenType::kIf},
    {"nil", TokenType::kNil},
    {"range", TokenType::kRange},
    {"template", TokenType::kTemplate},
    {"with", TokenType::kWith},
}};

bool is_trim_space(char32_t rune) {
  return rune == ' ' || rune == '\t' || rune == '\r' || rune == '\n';
}

bool is_alphanumeric(char32_t rune) {
  return rune < 0x80 ? base::is_ascii_word(rune)
                     : rune != kEofRune && (base::is_letter(rune) || base::is_digit(rune));
}

bool has_left_trim_marker(std::string_view text) {
  return text.size() >= 2 && text[0] == '-' && is_trim_space(static_cast<unsigned char>(text[1]));
}

bool has_right_trim_marker(std::string_view text) {
  return text.size() >= 2 && is_trim_space(static_cast<unsigned char>(text[0])) && text[1] == '-';
}

size_t leading_spaces(std::string_view text) {
  const size_t n = text.find_first_not_of(kSpaces);
  return n == std::string_view::npos ? text.size() : n;
}

size_t trailing_spaces(std::string_view text) {
  const size_t last = text.find_last_not_of(kSpaces);
  return last == std::string_view::npos ? text.size() : text.size() - last - 1;
}

int count_lines(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Formats as Go's %#U: "U+002D '-'", without the character if it is not printable.
std::string describe_rune(char32_t rune) {
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "U+%04X", static_cast<unsigned>(rune));
  std::string out = buffer.data();
  if (base::is_print(rune)) {
    out += " '";
    base::append_rune(out, rune);
    out += '\'';
  }
  return out;
}

std::string_view first_runes(std::string_view text, size_t count) {
  size_t end = 0;
  for (size_t i = 0; i < count && end < text.size(); ++i) {
    end += base::decode_rune(text.substr(end)).size;
  }
  return text.substr(0, end);
}

}  // namespace

std::string to_string(const Token& token) {
  if (token.type == TokenType::kEof) {
    return "EOF";
  }
  if (token.type == TokenType::kError) {
    return std::string(token.text);
  }
  if (token.type >= TokenType::kBlock) {
    return "<" + std::string(token.text) + ">";
  }
  if (token.text.size() > kShownRunes) {
    return go::quote(first_runes(token.text, kShownRunes)) + "...";
  }
  return go::quote(token.text);
}

Token Lexer::next() {
  token_ = Token{TokenType::kEof, pos_, start_line_, "EOF"};
  State state = inside_action_ ? State::kInsideAction : State::kText;
  while (state != State::kEmit) {
    switch (state) {
      case State::kText:
        state = lex_text();
        break;
      case State::kLeftDelim:
        state = lex_left_delim();
        break;
      case State::kComment:
        state = lex_comment();
        break;
      case State::kInsideAction:
        state = lex_inside_action();
        break;
      case State::kRightDelim:
        state = lex_right_delim();
        break;
      case State::kEmit:
        break;
    }
  }
  return token_;
}

// Outside an action; nothing has been consumed yet.
Lexer::State Lexer::lex_text() {
  const size_t length = rest().find(kLeftDelimText);
  if (length == std::string_view::npos) {
    pos_ = input_.size();
    if (pos_ == start_) {
      return emit(TokenType::kEof);
    }
    line_ += count_lines(current());
    return emit(TokenType::kText);
  }
  if (length == 0) {
    return State::kLeftDelim;
  }
  pos_ += length;
  size_t trimmed = 0;
  if (has_left_trim_marker(input_.substr(pos_ + kLeftDelimText.size()))) {
    trimmed = trailing_spaces(current());
  }
  pos_ -= trimmed;
  const bool has_text = pos_ > start_;
  line_ += count_lines(current());
  emit(TokenType::kText);
  pos_ += trimmed;
  skip_pending();
  return has_text ? State::kEmit : State::kLeftDelim;
}

// At "{{"; the space that it trims has been consumed already.
Lexer::State Lexer::lex_left_delim() {
  pos_ += kLeftDelimText.size();
  const size_t marker = has_left_trim_marker(rest()) ? kTrimMarkerLength : 0;
  if (rest().substr(marker).starts_with(kLeftCommentText)) {
    pos_ += marker;
    skip_pending();
    return State::kComment;
  }
  emit(TokenType::kLeftDelim);
  inside_action_ = true;
  pos_ += marker;
  skip_pending();
  paren_depth_ = 0;
  return State::kEmit;
}

// At "/*".
Lexer::State Lexer::lex_comment() {
  pos_ += kLeftCommentText.size();
  const size_t length = rest().find(kRightCommentText);
  if (length == std::string_view::npos) {
    return fail("unclosed comment");
  }
  pos_ += length + kRightCommentText.size();
  bool trims = false;
  if (!at_right_delim(&trims)) {
    return fail("comment ends before closing delimiter");
  }
  pos_ += (trims ? kTrimMarkerLength : 0) + kRightDelimText.size();
  if (trims) {
    pos_ += leading_spaces(rest());
  }
  skip_pending();
  return State::kText;
}

// At "}}" or " -}}".
Lexer::State Lexer::lex_right_delim() {
  bool trims = false;
  at_right_delim(&trims);
  if (trims) {
    pos_ += kTrimMarkerLength;
    skip_pending();
  }
  pos_ += kRightDelimText.size();
  emit(TokenType::kRightDelim);
  if (trims) {
    pos_ += leading_spaces(rest());
    skip_pending();
  }
  inside_action_ = false;
  return State::kEmit;
}

// Inside an action, between two tokens.
Lexer::State Lexer::lex_inside_action() {
  bool trims = false;
  if (at_right_delim(&trims)) {
    return paren_depth_ == 0 ? State::kRightDelim : fail("unclosed left paren");
  }
  const char32_t rune = next_rune();
  if (rune == kEofRune) {
    return fail("unclosed action");
  }
  if (is_trim_space(rune)) {
    back_up(rune);
    return lex_space();
  }
  if (rune == '.' && pos_ < input_.size() && !base::is_ascii_digit(input_[pos_])) {
    return lex_field_or_variable(TokenType::kField);
  }
  if (rune == '.' || rune == '+' || rune == '-' || base::is_ascii_digit(rune)) {
    back_up(rune);
    return lex_number();
  }
  if (is_alphanumeric(rune)) {
    back_up(rune);
    return lex_identifier();
  }
  return lex_punctuation(rune);
}

// `rune`, which starts neither a name nor a number, has been consumed.
Lexer::State Lexer::lex_punctuation(char32_t rune) {
  switch (rune) {
    case '=':
      return emit(TokenType::kAssign);
    case ':':
      return lex_colon();
    case '|':
      return emit(TokenType::kPipe);
    case '"':
      return lex_quoted('"', TokenType::kString, "unterminated quoted string");
    case '\'':
      return lex_quoted('\'', TokenType::kCharConstant, "unterminated character constant");
    case '`':
      return lex_raw_quote();
    case '$':
      return lex_field_or_variable(TokenType::kVariable);
    case '(':
    case ')':
      return lex_paren(rune);
    default:
      break;
  }
  if (rune < 0x80 && base::is_print(rune)) {
    return emit(TokenType::kChar);
  }
  return fail("unrecognized character in action: " + describe_rune(rune));
}

// The colon has been consumed.
Lexer::State Lexer::lex_colon() {
  return next_rune() == '=' ? emit(TokenType::kDeclare) : fail("expected :=");
}

// The parenthesis has been consumed.
Lexer::State Lexer::lex_paren(char32_t rune) {
  if (rune == '(') {
    ++paren_depth_;
    return emit(TokenType::kLeftParen);
  }
  --paren_depth_;
  return paren_depth_ < 0 ? fail("unexpected right paren") : emit(TokenType::kRightParen);
}

// At a space. A trimming right delimiter starts with a space, which must not be consumed.
Lexer::State Lexer::lex_space() {
  size_t spaces = 0;
  while (is_trim_space(peek_rune())) {
    next_rune();
    ++spaces;
  }
  const std::string_view from_last = input_.substr(pos_ - 1);
  if (has_right_trim_marker(from_last) &&
      from_last.substr(kTrimMarkerLength).starts_with(kRightDelimText)) {
    back_up(static_cast<unsigned char>(from_last[0]));
    if (spaces == 1) {
      return State::kRightDelim;
    }
  }
  return emit(TokenType::kSpace);
}

bool Lexer::is_loop_function(TokenType type) const {
  return (type == TokenType::kBreak && break_keyword_ == LoopKeywords::kDisabled) ||
         (type == TokenType::kContinue && continue_keyword_ == LoopKeywords::kDisabled);
}

// Consumes letters, digits and underscores.
void Lexer::skip_name() {
  while (true) {
    while (pos_ < input_.size() && base::is_ascii_word(static_cast<unsigned char>(input_[pos_]))) {
      ++pos_;
    }
    if (!is_alphanumeric(peek_rune())) {
      return;
    }
    next_rune();
  }
}

// At the first letter, digit or underscore.
Lexer::State Lexer::lex_identifier() {
  skip_name();
  if (!at_terminator()) {
    return fail("bad character " + describe_rune(peek_rune()));
  }
  const std::string_view word = current();
  for (const auto& [name, type] : kKeywords) {
    if (word == name) {
      return emit(is_loop_function(type) ? TokenType::kIdentifier : type);
    }
  }
  return emit(word == "true" || word == "false" ? TokenType::kBool : TokenType::kIdentifier);
}

// The '.' or '$' has been consumed.
Lexer::State Lexer::lex_field_or_variable(TokenType type) {
  if (at_terminator()) {  // No name follows.
    return emit(type == TokenType::kVariable ? type : TokenType::kDot);
  }
  skip_name();
  return at_terminator() ? emit(type) : fail("bad character " + describe_rune(peek_rune()));
}

// The opening quote has been consumed.
Lexer::State Lexer::lex_quoted(char quote, TokenType type, std::string_view error) {
  while (true) {
    char32_t rune = next_rune();
    if (rune == static_cast<char32_t>(quote)) {
      return emit(type);
    }
    if (rune == '\\') {
      rune = next_rune();
    }
    if (rune == kEofRune || rune == '\n') {
      return fail(std::string(error));
    }
  }
}

// The opening back quote has been consumed.
Lexer::State Lexer::lex_raw_quote() {
  while (true) {
    const char32_t rune = next_rune();
    if (rune == kEofRune) {
      return fail("unterminated raw quoted string");
    }
    if (rune == '`') {
      return emit(TokenType::kRawString);
    }
  }
}

// At the sign, first digit or decimal point. Accepts invalid numbers too: the parser rejects them.
Lexer::State Lexer::lex_number() {
  if (!scan_number()) {
    return fail("bad number syntax: " + go::quote(current()));
  }
  if (peek_rune() != '+' && peek_rune() != '-') {
    return emit(TokenType::kNumber);
  }
  if (!scan_number() || input_[pos_ - 1] != 'i') {
    return fail("bad number syntax: " + go::quote(current()));
  }
  return emit(TokenType::kComplex);
}

bool Lexer::scan_number() {
  constexpr std::string_view kDecimal = "0123456789_";
  constexpr std::string_view kHex = "0123456789abcdefABCDEF_";
  std::string_view digits = kDecimal;
  accept("+-");
  if (accept("0")) {
    if (accept("xX")) {
      digits = kHex;
    } else if (accept("oO")) {
      digits = "01234567_";
    } else if (accept("bB")) {
      digits = "01_";
    }
  }
  accept_run(digits);
  if (accept(".")) {
    accept_run(digits);
  }
  if ((digits == kDecimal && accept("eE")) || (digits == kHex && accept("pP"))) {
    accept("+-");
    accept_run(kDecimal);
  }
  accept("i");
  if (is_alphanumeric(peek_rune())) {
    next_rune();
    return false;
  }
  return true;
}

bool Lexer::at_right_delim(bool* trims) const {
  const std::string_view text = rest();
  *trims =
      has_right_trim_marker(text) && text.substr(kTrimMarkerLength).starts_with(kRightDelimText);
  return *trims || text.starts_with(kRightDelimText);
}

// Reports whether a name may end here; prevents "$x+2" from being split into two tokens.
bool Lexer::at_terminator() const {
  const char32_t rune = peek_rune();
  switch (rune) {
    case kEofRune:
    case '.':
    case ',':
    case '|':
    case ':':
    case ')':
    case '(':
      return true;
    default:
      return is_trim_space(rune) || rest().starts_with(kRightDelimText);
  }
}

char32_t Lexer::next_rune() {
  if (pos_ >= input_.size()) {
    return kEofRune;
  }
  if (const auto byte = static_cast<unsigned char>(input_[pos_]); byte < 0x80) {
    ++pos_;
    line_ += byte == '\n' ? 1 : 0;
    return byte;
  }
  const base::DecodedRune rune = base::decode_rune(rest());
  pos_ += rune.size;
  return rune.rune;
}

char32_t Lexer::peek_rune() const {
  if (pos_ >= input_.size()) {
    return kEofRune;
  }
  const auto byte = static_cast<unsigned char>(input_[pos_]);
  return byte < 0x80 ? byte : base::decode_rune(rest()).rune;
}

// Un-consumes `rune`, which next_rune has just returned and which must not be an invalid byte.
void Lexer::back_up(char32_t rune) {
  if (rune < 0x80) {
    --pos_;
    line_ -= rune == '\n' ? 1 : 0;
    return;
  }
  std::string encoded;
  base::append_rune(encoded, rune);
  pos_ -= encoded.size();
}

bool Lexer::accept(std::string_view valid) {
  if (pos_ < input_.size() && valid.find(input_[pos_]) != std::string_view::npos) {
    ++pos_;
    return true;
  }
  return false;
}

void Lexer::accept_run(std::string_view valid) {
  while (accept(valid)) {
  }
}

// Drops the input that has been skipped without next_rune since the last token.
void Lexer::skip_pending() {
  line_ += count_lines(current());
  start_ = pos_;
  start_line_ = line_;
}

Lexer::State Lexer::emit(TokenType type) {
  token_ = Token{type, start_, start_line_, type == TokenType::kEof ? "EOF" : current()};
  start_ = pos_;
  start_line_ = line_;
  return State::kEmit;
}

Lexer::State Lexer::fail(std::string message) {
  error_ = std::move(message);
  token_ = Token{TokenType::kError, start_, start_line_, error_};
  input_ = {};
  pos_ = 0;
  start_ = 0;
  return State::kEmit;
}

}  // namespace chartwright::tmpl
