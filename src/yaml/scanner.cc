// SPDX-License-Identifier: Apache-2.0
#include "yaml/scanner.h"

#include <utility>

namespace chartwright::yaml {
namespace {

// go-yaml's limit on nested flow collections and on nested indentation.
constexpr int kMaxNesting = 10000;
// A key must be followed by its colon within this many characters, on the same line.
constexpr size_t kMaxSimpleKey = 1024;

}  // namespace

// The queue is short, and empty between most tokens. While it is long, the tokens already taken are
// released only now and then.
void TokenQueue::pop_front() {
  constexpr size_t kTakenMax = 1024;
  ++first_;
  if (empty() || (first_ > kTakenMax && first_ > size())) {
    tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

std::optional<size_t> Scanner::KeyOfToken::find(size_t token_number) const {
  const auto at = lower_bound(token_number);
  if (at == entries_.end() || at->first != token_number) {
    return std::nullopt;
  }
  return at->second;
}

void Scanner::KeyOfToken::set(size_t token_number, size_t key) {
  if (!entries_.empty() && entries_.back().first == token_number) {
    entries_.back().second = key;
  } else {
    entries_.emplace_back(token_number, key);
  }
}

void Scanner::KeyOfToken::erase(size_t token_number) {
  const auto at = lower_bound(token_number);
  if (at != entries_.end() && at->first == token_number) {
    entries_.erase(at);
  }
}

bool Scanner::fail(const Mark& context, std::string_view problem) {
  problem_ = {Problem::Origin::kScanner, std::string(problem), source_.mark(), context};
  return false;
}

bool Scanner::fail_reading() {
  problem_ = {Problem::Origin::kReader, source_.problem(), {}, {}};
  return false;
}

bool Scanner::next() {
  source_.skip();
  return need(1);
}

std::string_view Scanner::take_text() {
  const std::string_view text = tokens_.front().text;
  skip();
  return text;
}

std::string_view Scanner::keep(std::string text) {
  texts_.push_front(std::move(text));
  return texts_.front();
}

std::string_view Scanner::keep(Text&& text) {
  return text.is_copy() || !source_.outlived_by_text() ? keep(std::move(text.copy())) : text.view();
}

void Scanner::skip() {
  head_ready_ = false;
  ++tokens_taken_;
  tokens_.pop_front();
}

Token Scanner::token_here(TokenKind kind) const {
  Token token;
  token.kind = kind;
  token.start = source_.mark();
  token.end = source_.mark();
  return token;
}

Token Scanner::take_indicator(TokenKind kind, size_t characters) {
  Token token = token_here(kind);
  for (size_t i = 0; i < characters; ++i) {
    source_.skip();
  }
  token.end = source_.mark();
  return token;
}

// Puts a token before the one with that number. If that one has already been taken, the token goes
// to the end, as in go-yaml.
void Scanner::insert(size_t number, const Token& token) {
  if (number == kAppend || number < tokens_taken_) {
    push(token);
    return;
  }
  tokens_.insert(number - tokens_taken_, token);
}

// Fetches tokens until it is certain that the first one does not start a key.
bool Scanner::fetch_more() {
  for (;;) {
    if (!tokens_.empty()) {
      const std::optional<size_t> head = key_of_token_.find(tokens_taken_);
      if (!head) {
        break;
      }
      const KeyState state = check_key(keys_[*head]);
      if (state == KeyState::kFailed) {
        return false;
      }
      if (state == KeyState::kInvalid) {
        break;
      }
    }
    if (!fetch_next()) {
      return false;
    }
  }
  head_ready_ = true;
  return true;
}

bool Scanner::fetch_next() {
  if (!need(1)) {
    return false;
  }
  if (!started_) {
    started_ = true;
    push(token_here(TokenKind::kStreamStart));
    return true;
  }
  if (!skip_to_token()) {
    return false;
  }
  unroll_indent(source_.mark().column);
  if (!need(4)) {
    return false;
  }
  if (source_.at() == 0) {
    return fetch_stream_end();
  }
  if (source_.mark().column == 0 && source_.is('%')) {
    return fetch_directive();
  }
  if (source_.is_document_indicator()) {
    return fetch_document_indicator(source_.is('-') ? TokenKind::kDocumentStart
                                                    : TokenKind::kDocumentEnd);
  }
  return fetch_indicator();
}

// Fetches an indicator of structure.
bool Scanner::fetch_indicator() {
  const bool before_blank = source_.is_blank_or_end(1);
  switch (source_.at()) {
    case '[':
      return fetch_flow_start(TokenKind::kFlowSequenceStart);
    case '{':
      return fetch_flow_start(TokenKind::kFlowMappingStart);
    case ']':
      return fetch_flow_end(TokenKind::kFlowSequenceEnd);
    case '}':
      return fetch_flow_end(TokenKind::kFlowMappingEnd);
    case ',':
      return fetch_flow_entry();
    case '-':
      return before_blank ? fetch_block_entry() : fetch_content();
    case '?':
      return flow_level_ > 0 || before_blank ? fetch_key() : fetch_content();
    case ':':
      return flow_level_ > 0 || before_blank ? fetch_value() : fetch_content();
    default:
      return fetch_content();
  }
}

// Fetches a token that is or decorates a node.
bool Scanner::fetch_content() {
  switch (source_.at()) {
    case '*':
      return fetch_anchor(TokenKind::kAlias);
    case '&':
      return fetch_anchor(TokenKind::kAnchor);
    case '!':
      return fetch_tag();
    case '\'':
    case '"':
      return fetch_quoted_scalar();
    case '|':
    case '>':
      if (flow_level_ == 0) {
        return fetch_block_scalar();
      }
      break;
    default:
      break;
  }
  if (starts_plain()) {
    return fetch_plain_scalar();
  }
  return fail(source_.mark(), "found character that cannot start any token");
}

// An indicator starts a plain scalar only if the next character shows that it is not an indicator.
bool Scanner::starts_plain() const {
  if (source_.is('-')) {
    return !source_.is_blank(1);
  }
  if (source_.is('?') || source_.is(':')) {
    return flow_level_ == 0 && !source_.is_blank_or_end(1);
  }
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`";
  return !source_.is_blank_or_end() &&
         kIndicators.find(static_cast<char>(source_.at())) == std::string_view::npos;
}

// A key that exceeds its line or the length limit is no longer one, which is an error if the
// indentation requires a key.
Scanner::KeyState Scanner::check_key(SimpleKey& key) {
  if (!key.possible) {
    return KeyState::kInvalid;
  }
  const Mark& now = source_.mark();
  if (key.mark.line >= now.line && key.mark.index + kMaxSimpleKey >= now.index) {
    return KeyState::kValid;
  }
  if (key.required) {
    fail(key.mark, "could not find expected ':'");
    return KeyState::kFailed;
  }
  key.possible = false;
  return KeyState::kInvalid;
}

// Records that the token about to be fetched may turn out to be a key.
bool Scanner::save_simple_key() {
  if (!simple_key_allowed_) {
    return true;
  }
  const SimpleKey key{true, flow_level_ == 0 && indent_ == source_.mark().column,
                      tokens_taken_ + tokens_.size(), source_.mark()};
  if (!remove_simple_key()) {
    return false;
  }
  keys_.back() = key;
  key_of_token_.set(key.token_number, keys_.size() - 1);
  return true;
}

bool Scanner::remove_simple_key() {
  SimpleKey& key = keys_.back();
  if (!key.possible) {
    return true;
  }
  if (key.required) {
    return fail(key.mark, "could not find expected ':'");
  }
  key.possible = false;
  key_of_token_.erase(key.token_number);
  return true;
}

bool Scanner::open_flow_level() {
  keys_.push_back({false, false, tokens_taken_ + tokens_.size(), source_.mark()});
  ++flow_level_;
  if (flow_level_ > kMaxNesting) {
    return fail(keys_.back().mark, "exceeded max depth of " + std::to_string(kMaxNesting));
  }
  return true;
}

// An empty level still has the number of its opening bracket, so that the bracket stops being a
// key: in go-yaml "[]: x" is not a mapping.
void Scanner::close_flow_level() {
  if (flow_level_ > 0) {
    --flow_level_;
    key_of_token_.erase(keys_.back().token_number);
    keys_.pop_back();
  }
}

// Starts a block collection if the column is deeper than the current indentation.
bool Scanner::roll_indent(int column, size_t number, TokenKind kind, const Mark& mark) {
  if (flow_level_ > 0 || indent_ >= column) {
    return true;
  }
  indents_.push_back(indent_);
  indent_ = column;
  if (indents_.size() > kMaxNesting) {
    return fail(keys_.back().mark, "exceeded max depth of " + std::to_string(kMaxNesting));
  }
  Token token;
  token.kind = kind;
  token.start = mark;
  token.end = mark;
  insert(number, token);
  return true;
}

// Ends the block collections that are deeper than the column.
void Scanner::unroll_indent(int column) {
  if (flow_level_ > 0) {
    return;
  }
  while (indent_ > column) {
    push(token_here(TokenKind::kBlockEnd));
    indent_ = indents_.back();
    indents_.pop_back();
  }
}

bool Scanner::fetch_stream_end() {
  source_.end_line();
  unroll_indent(-1);
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  push(token_here(TokenKind::kStreamEnd));
  return true;
}

bool Scanner::fetch_document_indicator(TokenKind kind) {
  unroll_indent(-1);
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  push(take_indicator(kind, 3));
  return true;
}

bool Scanner::fetch_flow_start(TokenKind kind) {
  if (!save_simple_key() || !open_flow_level()) {
    return false;
  }
  simple_key_allowed_ = true;
  push(take_indicator(kind, 1));
  return true;
}

bool Scanner::fetch_flow_end(TokenKind kind) {
  if (!remove_simple_key()) {
    return false;
  }
  close_flow_level();
  simple_key_allowed_ = false;
  push(take_indicator(kind, 1));
  return true;
}

bool Scanner::fetch_flow_entry() {
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = true;
  push(take_indicator(TokenKind::kFlowEntry, 1));
  return true;
}

// In the flow context "-" is an error, but the parser reports it better.
bool Scanner::fetch_block_entry() {
  if (flow_level_ == 0) {
    if (!simple_key_allowed_) {
      return fail(source_.mark(), "block sequence entries are not allowed in this context");
    }
    if (!roll_indent(source_.mark().column, kAppend, TokenKind::kBlockSequenceStart,
                     source_.mark())) {
      return false;
    }
  }
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = true;
  push(take_indicator(TokenKind::kBlockEntry, 1));
  return true;
}

bool Scanner::fetch_key() {
  if (flow_level_ == 0) {
    if (!simple_key_allowed_) {
      return fail(source_.mark(), "mapping keys are not allowed in this context");
    }
    if (!roll_indent(source_.mark().column, kAppend, TokenKind::kBlockMappingStart,
                     source_.mark())) {
      return false;
    }
  }
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = flow_level_ == 0;
  push(take_indicator(TokenKind::kKey, 1));
  return true;
}

// ":" turns the simple key before it, if there is one, into a key.
bool Scanner::fetch_value() {
  SimpleKey& key = keys_.back();
  const KeyState state = check_key(key);
  if (state == KeyState::kFailed) {
    return false;
  }
  if (state == KeyState::kInvalid) {
    return fetch_complex_value();
  }
  Token token;
  token.kind = TokenKind::kKey;
  token.start = key.mark;
  token.end = key.mark;
  insert(key.token_number, token);
  if (!roll_indent(key.mark.column, key.token_number, TokenKind::kBlockMappingStart, key.mark)) {
    return false;
  }
  key.possible = false;
  key_of_token_.erase(key.token_number);
  simple_key_allowed_ = false;
  push(take_indicator(TokenKind::kValue, 1));
  return true;
}

bool Scanner::fetch_complex_value() {
  if (flow_level_ == 0) {
    if (!simple_key_allowed_) {
      return fail(source_.mark(), "mapping values are not allowed in this context");
    }
    if (!roll_indent(source_.mark().column, kAppend, TokenKind::kBlockMappingStart,
                     source_.mark())) {
      return false;
    }
  }
  simple_key_allowed_ = flow_level_ == 0;
  push(take_indicator(TokenKind::kValue, 1));
  return true;
}

// Skips white space, comments and line breaks. Tabs are skipped only where they cannot be taken for
// indentation.
bool Scanner::skip_to_token() {
  for (;;) {
    if (!need(1)) {
      return false;
    }
    if (source_.is_byte_order_mark()) {
      source_.skip();
    }
    if (!need(1)) {
      return false;
    }
    const bool tabs = flow_level_ > 0 || !simple_key_allowed_;
    while (source_.is(' ') || (tabs && source_.is('\t'))) {
      if (source_.read_run(Run::kSpaces, 1).empty() && !next()) {
        return false;
      }
    }
    if (!skip_comment()) {
      return false;
    }
    if (!source_.is_break()) {
      return true;
    }
    if (!need(2)) {
      return false;
    }
    source_.skip_break();
    simple_key_allowed_ = simple_key_allowed_ || flow_level_ == 0;
  }
}

bool Scanner::skip_blanks() {
  while (source_.is_blank()) {
    if (!next()) {
      return false;
    }
  }
  return true;
}

bool Scanner::skip_comment() {
  if (!source_.is('#')) {
    return true;
  }
  while (!source_.is_break_or_end()) {
    if (source_.read_run(Run::kLine, 1).empty() && !next()) {
      return false;
    }
  }
  return true;
}

// After a directive or the header of a block scalar, only a comment may follow on the line.
bool Scanner::finish_line(const Mark& start) {
  if (!need(1) || !skip_blanks() || !skip_comment()) {
    return false;
  }
  if (!source_.is_break_or_end()) {
    return fail(start, "did not find expected comment or line break");
  }
  if (source_.is_break()) {
    if (!need(2)) {
      return false;
    }
    source_.skip_break();
  }
  return true;
}

}  // namespace chartwright::yaml
