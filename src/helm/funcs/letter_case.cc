// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/letter_case.h"

#include "base/unicode.h"

namespace chartwright::helm::funcs {
namespace {

using base::DecodedRune;
using base::is_number;
using base::is_punct;
using base::is_upper;

bool is_connector(char32_t r) { return r == '-' || r == '_' || base::is_space(r); }

// Reports whether `r` is a letter and not CJK, by the ranges that xstrings defines.
bool is_alphabet(char32_t r) {
  const bool cjk = (r >= 0x4E00 && r <= 0x9FCC) || (r >= 0x3400 && r <= 0x4D85) ||
                   (r >= 0x20000 && r <= 0x2B81D);
  return base::is_letter(r) && !cjk;
}

enum class Fragment { kInvalid, kNumber, kUpper, kAlphabet, kConnector, kPunct, kOther };

struct Token {
  Fragment type = Fragment::kInvalid;
  std::string_view text;
};

// Splits a string into runs of one kind of character.
class WordScanner {
 public:
  explicit WordScanner(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  Token next();

 private:
  // Returns the next code point; its size includes any invalid bytes before it. If only invalid
  // bytes are left, returns the previous code point again.
  DecodedRune peek() const;
  void take(const DecodedRune& next) {
    previous_ = next.rune;
    taken_ += next.size;
  }
  bool more() const { return taken_ < rest_.size(); }
  template <typename Predicate>
  void take_while(Predicate belongs);
  Fragment take_upper();
  Fragment take_run(const DecodedRune& first);

  std::string_view rest_;  // Input not yet covered by a token.
  size_t taken_ = 0;       // Bytes of rest_ in the token being read.
  char32_t previous_ = base::kRuneError;
};

DecodedRune WordScanner::peek() const {
  std::string_view at = rest_.substr(taken_);
  size_t size = 0;
  while (!at.empty()) {
    const DecodedRune next = base::decode_rune(at);
    size += next.size;
    if (next.rune != base::kRuneError) {
      return {next.rune, size};
    }
    at.remove_prefix(next.size);
  }
  return {previous_, size};
}

template <typename Predicate>
void WordScanner::take_while(Predicate belongs) {
  while (more()) {
    const DecodedRune next = peek();
    if (!belongs(next.rune)) {
      return;
    }
    take(next);
  }
}

bool is_small_letter(char32_t r) { return is_alphabet(r) && !is_upper(r); }

// Reads a word after its first upper-case letter: "HTTP" of "HTTPServer", "Server" of "ServerX".
Fragment WordScanner::take_upper() {
  if (!more()) {
    return Fragment::kUpper;
  }
  DecodedRune next = peek();
  if (!is_upper(next.rune)) {
    if (is_alphabet(next.rune)) {
      take(next);
      take_while(is_small_letter);
    }
    return Fragment::kUpper;
  }
  size_t last_size = 0;
  while (more()) {
    next = peek();
    if (!is_upper(next.rune)) {
      break;
    }
    last_size = next.size;
    take(next);
  }
  if (more() && is_alphabet(next.rune)) {
    taken_ -= last_size;  // The last capital begins the next word.
  }
  return Fragment::kUpper;
}

Fragment WordScanner::take_run(const DecodedRune& first) {
  take(first);
  if (is_connector(first.rune)) {
    take_while(is_connector);
    return Fragment::kConnector;
  }
  if (is_punct(first.rune)) {
    take_while(is_punct);
    return Fragment::kPunct;
  }
  if (is_upper(first.rune)) {
    return take_upper();
  }
  if (is_alphabet(first.rune)) {
    take_while(is_small_letter);
    return Fragment::kAlphabet;
  }
  if (is_number(first.rune)) {
    take_while(is_number);
    return Fragment::kNumber;
  }
  take_while([](char32_t r) {
    return !is_connector(r) && !is_alphabet(r) && !is_number(r) && !is_punct(r);
  });
  return Fragment::kOther;
}

Token WordScanner::next() {
  if (rest_.empty()) {
    return {};
  }
  previous_ = base::kRuneError;
  taken_ = 0;
  const DecodedRune first = peek();
  Token token;
  if (first.rune == base::kRuneError) {
    taken_ = first.size;
  } else {
    token.type = take_run(first);
  }
  token.text = rest_.substr(0, taken_);
  rest_.remove_prefix(taken_);
  return token;
}

// Joins the words of a string in lower case with a connector.
class CaseSplitter {
 public:
  CaseSplitter(std::string_view text, char connector) : scanner_(text), connector_(connector) {}
  std::string run();

 private:
  void advance() { token_ = scanner_.next(); }
  void write(const Token& token);
  bool at_letters_or_digits() const {
    return token_.type == Fragment::kAlphabet || token_.type == Fragment::kNumber;
  }
  // Appends the connector, unless the next token is itself a separator.
  void connect_unless_separated() {
    if (token_.type != Fragment::kConnector && token_.type != Fragment::kPunct) {
      out_ += connector_;
    }
  }
  void connect_unless_separated_or_invalid() {
    if (token_.type != Fragment::kInvalid) {
      connect_unless_separated();
    }
  }
  void write_letters_and_digits() {
    while (at_letters_or_digits()) {
      write(token_);
      advance();
    }
  }
  void after_word();

  WordScanner scanner_;
  char connector_;
  Token token_;
  std::string out_;
};

void CaseSplitter::write(const Token& token) {
  if (token.type != Fragment::kUpper && token.type != Fragment::kConnector) {
    out_ += token.text;
    return;
  }
  for (std::string_view rest = token.text; !rest.empty();) {
    const DecodedRune next = base::decode_rune(rest);
    rest.remove_prefix(next.size);
    if (is_connector(next.rune)) {
      out_ += connector_;
    } else {
      base::append_rune(out_, is_upper(next.rune) ? base::to_lower(next.rune) : next.rune);
    }
  }
}

// Continues after a word of letters; token_ follows it. Digits belong to the word before them
// ("bld4") unless lower-case letters follow ("_2xx").
void CaseSplitter::after_word() {
  if (token_.type != Fragment::kNumber) {
    connect_unless_separated();
    return;
  }
  if (scanner_.done()) {
    return;
  }
  const Token number = token_;
  advance();
  if (token_.type != Fragment::kAlphabet) {
    write(number);
    connect_unless_separated();
    return;
  }
  out_ += connector_;
  write(number);
  write_letters_and_digits();
  connect_unless_separated_or_invalid();
}

std::string CaseSplitter::run() {
  advance();
  while (!scanner_.done()) {
    const Token previous = token_;
    if (previous.type != Fragment::kConnector) {
      write(previous);
    }
    advance();
    switch (previous.type) {
      case Fragment::kNumber:
        write_letters_and_digits();
        connect_unless_separated_or_invalid();
        break;
      case Fragment::kConnector:
        write(previous);
        break;
      case Fragment::kPunct:
        break;
      default:
        after_word();
    }
  }
  write(token_);
  return std::move(out_);
}

DecodedRune pop_rune(std::string_view& text) {
  const DecodedRune next = base::decode_rune(text);
  text.remove_prefix(next.size);
  return next;
}

}  // namespace

std::string split_case(std::string_view text, char connector) {
  return text.empty() ? std::string() : CaseSplitter(text, connector).run();
}

std::string pascal_case(std::string_view text) {
  std::string out;
  if (text.empty()) {
    return out;
  }
  char32_t current = base::kRuneError;
  bool in_capitals = false;
  bool found_word = false;
  while (!text.empty() && !found_word) {
    current = pop_rune(text).rune;
    if (is_connector(current)) {
      base::append_rune(out, current);
    } else {
      in_capitals = is_upper(current);
      current = base::to_upper(current);
      found_word = true;
    }
  }
  while (!text.empty()) {
    const char32_t previous = current;
    current = pop_rune(text).rune;
    if (is_connector(previous) && !is_connector(current)) {
      in_capitals = is_upper(current);
      current = base::to_upper(current);
      continue;
    }
    if (!is_connector(previous) && in_capitals) {
      in_capitals = is_upper(current);
      current = in_capitals ? base::to_lower(current) : current;
    }
    base::append_rune(out, previous);
  }
  // If the input has only connectors, the last one is written twice.
  base::append_rune(out, current);
  return out;
}

}  // namespace chartwright::helm::funcs
