// SPDX-License-Identifier: Apache-2.0
#include "yaml/events.h"

#include <utility>

#include "yaml/resolve.h"

namespace chartwright::yaml {

using base::Error;
using base::ErrorCode;

namespace {

// Returns the prefix of a handle that no directive declares, or "" if it needs one.
std::string_view default_prefix(std::string_view handle) {
  if (handle == "!") {
    return "!";
  }
  return handle == "!!" ? kTagPrefix : "";
}

}  // namespace

base::Status Events::next(Event& event) {
  for (;;) {
    event = Event{};
    const bool is_start = state_ == State::kStreamStart;
    if (!step(event)) {
      return error();
    }
    if (!is_start) {
      return {};
    }
  }
}

// Numbers lines as go-yaml does: scanner errors count from one, others from zero.
Error Events::error() const {
  const Problem& failed = problem();
  int line = 0;
  if (failed.mark.line != 0) {
    line = failed.mark.line + (failed.origin == Problem::Origin::kScanner ? 1 : 0);
  } else {
    line = failed.context_mark.line;
  }
  Error error(ErrorCode::kParse,
              "yaml: " + (line == 0 ? "" : "line " + std::to_string(line) + ": ") + failed.text);
  if (failed.origin == Problem::Origin::kReader) {
    return error;
  }
  return std::move(error).at({"", failed.mark.line + 1, failed.mark.column + 1});
}

bool Events::fail(std::string_view problem, const Mark& mark, const Mark& context) {
  parser_problem_ = {Problem::Origin::kParser, std::string(problem), mark, context};
  return false;
}

bool Events::step(Event& event) {
  switch (state_) {
    case State::kStreamStart:
      return stream_start(event);
    case State::kFirstDocumentStart:
    case State::kDocumentStart:
      return document_start(event);
    case State::kDocumentContent:
      return document_content(event);
    case State::kDocumentEnd:
      return document_end(event);
    case State::kBlockNode:
      return node(event, Context::kBlock);
    case State::kBlockSequenceFirstEntry:
    case State::kBlockSequenceEntry:
      return block_sequence_entry(event);
    case State::kIndentlessSequenceEntry:
      return indentless_sequence_entry(event);
    case State::kBlockMappingFirstKey:
    case State::kBlockMappingKey:
      return block_mapping_key(event);
    case State::kBlockMappingValue:
      return block_mapping_value(event);
    case State::kFlowSequenceFirstEntry:
    case State::kFlowSequenceEntry:
      return flow_sequence_entry(event);
    case State::kFlowPairKey:
      return flow_pair_key(event);
    case State::kFlowPairValue:
      return flow_pair_value(event);
    case State::kFlowPairEnd:
      return flow_pair_end(event);
    case State::kFlowMappingFirstKey:
    case State::kFlowMappingKey:
      return flow_mapping_key(event);
    case State::kFlowMappingValue:
      return flow_mapping_value(event);
    case State::kFlowMappingEmptyValue:
      return flow_mapping_empty_value(event);
    case State::kEnd:
      break;
  }
  event.kind = EventKind::kStreamEnd;
  return true;
}

Events::State Events::pop_state() {
  const State state = states_.back();
  states_.pop_back();
  return state;
}

bool Events::empty_scalar(Event& event, const Mark& mark, State next_state) {
  state_ = next_state;
  event.kind = EventKind::kScalar;
  event.implicit = true;
  event.line = mark.line + 1;
  event.column = mark.column + 1;
  return true;
}

// stream ::= STREAM-START document* STREAM-END
bool Events::stream_start(Event& event) {
  if (scanner_.peek() == nullptr) {
    return false;
  }
  event.kind = EventKind::kStreamEnd;  // next() does not return this event.
  state_ = State::kFirstDocumentStart;
  scanner_.skip();
  return true;
}

// document ::= block_node DOCUMENT-END* | DIRECTIVE* DOCUMENT-START block_node? DOCUMENT-END*
bool Events::document_start(Event& event) {
  const Token* token = scanner_.peek();
  while (state_ == State::kDocumentStart && token != nullptr &&
         token->kind == TokenKind::kDocumentEnd) {
    scanner_.skip();
    token = scanner_.peek();
  }
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kStreamEnd) {
    state_ = State::kEnd;
    event.kind = EventKind::kStreamEnd;
    return true;
  }
  event.kind = EventKind::kDocumentStart;
  event.line = token->start.line + 1;
  event.column = token->start.column + 1;
  const bool is_explicit = token->kind == TokenKind::kVersionDirective ||
                           token->kind == TokenKind::kTagDirective ||
                           token->kind == TokenKind::kDocumentStart;
  if (is_explicit || state_ == State::kDocumentStart) {
    return explicit_document();
  }
  states_.push_back(State::kDocumentEnd);
  state_ = State::kBlockNode;
  return true;
}

bool Events::explicit_document() {
  if (!directives()) {
    return false;
  }
  const Token* token = scanner_.peek();
  if (token->kind != TokenKind::kDocumentStart) {
    return fail("did not find expected <document start>", token->start);
  }
  states_.push_back(State::kDocumentEnd);
  state_ = State::kDocumentContent;
  scanner_.skip();
  return true;
}

bool Events::document_content(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  switch (token->kind) {
    case TokenKind::kVersionDirective:
    case TokenKind::kTagDirective:
    case TokenKind::kDocumentStart:
    case TokenKind::kDocumentEnd:
    case TokenKind::kStreamEnd:
      return empty_scalar(event, token->start, pop_state());
    default:
      return node(event, Context::kBlock);
  }
}

bool Events::document_end(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kDocumentEnd) {
    scanner_.skip();
  }
  tag_prefixes_.clear();
  state_ = State::kDocumentStart;
  event.kind = EventKind::kDocumentEnd;
  return true;
}

// Reads the directives; a token follows them.
bool Events::directives() {
  bool seen_version = false;
  const Token* token = scanner_.peek();
  while (token != nullptr &&
         (token->kind == TokenKind::kVersionDirective || token->kind == TokenKind::kTagDirective)) {
    if (!(token->kind == TokenKind::kVersionDirective ? version_directive(*token, seen_version)
                                                      : tag_directive(*token))) {
      return false;
    }
    scanner_.skip();
    token = scanner_.peek();
  }
  return token != nullptr;
}

bool Events::version_directive(const Token& token, bool& seen) {
  if (seen) {
    return fail("found duplicate %YAML directive", token.start);
  }
  seen = true;
  return token.text == "1.1" || fail("found incompatible YAML document", token.start);
}

bool Events::tag_directive(const Token& token) {
  return tag_prefixes_.emplace(token.text, token.suffix).second ||
         fail("found duplicate %TAG directive", token.start);
}

// node ::= ALIAS | properties? content?
bool Events::node(Event& event, Context context) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kAlias) {
    state_ = pop_state();
    event.kind = EventKind::kAlias;
    event.line = token->start.line + 1;
    event.column = token->start.column + 1;
    event.anchor = scanner_.take_text();
    return true;
  }
  Properties found;
  found.start = token->start;
  return properties(found) && node_content(event, context, found);
}

// properties ::= TAG ANCHOR? | ANCHOR TAG?; a token follows them.
bool Events::properties(Properties& found) {
  std::optional<Token> tag;
  const Token* token = scanner_.peek();
  while (token != nullptr && ((token->kind == TokenKind::kTag && !tag) ||
                              (token->kind == TokenKind::kAnchor && found.anchor.empty()))) {
    if (token->kind == TokenKind::kTag) {
      tag = *token;
      scanner_.skip();
    } else {
      found.anchor = scanner_.take_text();
    }
    token = scanner_.peek();
  }
  return token != nullptr && (!tag || resolve_tag(*tag, found.start, found.tag));
}

bool Events::resolve_tag(const Token& token, const Mark& node_start, std::string_view& tag) {
  if (token.text.empty()) {
    tag = token.suffix;
    return true;
  }
  const auto declared = tag_prefixes_.find(token.text);
  const bool is_declared = declared != tag_prefixes_.end();
  const std::string_view prefix = is_declared ? declared->second : default_prefix(token.text);
  if (is_declared || !prefix.empty()) {
    tag = scanner_.keep(std::string(prefix) + std::string(token.suffix));
  }
  return !tag.empty() || fail("found undefined tag handle", token.start, node_start);
}

// content ::= SCALAR | collection; may be missing after properties.
bool Events::node_content(Event& event, Context context, Properties& found) {
  const Token& token = *scanner_.peek();
  event.line = found.start.line + 1;
  event.column = found.start.column + 1;
  if (token.kind == TokenKind::kScalar) {
    return scalar(event, token, found);
  }
  if (start_collection(event, token.kind, context)) {
    event.anchor = found.anchor;
    return true;
  }
  if (found.anchor.empty() && found.tag.empty()) {
    return fail("did not find expected node content", token.start, found.start);
  }
  event.implicit = found.tag.empty();
  event.anchor = found.anchor;
  event.tag = found.tag;
  event.kind = EventKind::kScalar;
  state_ = pop_state();
  return true;
}

bool Events::scalar(Event& event, const Token& token, Properties& found) {
  event.kind = EventKind::kScalar;
  event.implicit = (found.tag.empty() && token.plain) || found.tag == "!";
  event.anchor = found.anchor;
  event.tag = found.tag;
  event.value = scanner_.take_text();
  state_ = pop_state();
  return true;
}

// Returns false if the token does not start a collection that is allowed here.
bool Events::start_collection(Event& event, TokenKind kind, Context context) {
  const bool block = context != Context::kFlow;
  if (kind == TokenKind::kBlockEntry && context == Context::kBlockOrIndentlessSequence) {
    state_ = State::kIndentlessSequenceEntry;
    event.kind = EventKind::kSequenceStart;
  } else if (kind == TokenKind::kFlowSequenceStart) {
    state_ = State::kFlowSequenceFirstEntry;
    event.kind = EventKind::kSequenceStart;
  } else if (kind == TokenKind::kFlowMappingStart) {
    state_ = State::kFlowMappingFirstKey;
    event.kind = EventKind::kMappingStart;
  } else if (kind == TokenKind::kBlockSequenceStart && block) {
    state_ = State::kBlockSequenceFirstEntry;
    event.kind = EventKind::kSequenceStart;
  } else if (kind == TokenKind::kBlockMappingStart && block) {
    state_ = State::kBlockMappingFirstKey;
    event.kind = EventKind::kMappingStart;
  } else {
    return false;
  }
  return true;
}

}  // namespace chartwright::yaml
