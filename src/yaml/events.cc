// SPDX-License-Identifier: Apache-2.0
#include "yaml/events.h"

#include <utility>

#include "yaml/resolve.h"

namespace chartwright::yaml {

using base::Error;
using base::ErrorCode;
using Token = YamlTokenKind;

base::Status YamlEvents::next(YamlEvent& event) {
  for (;;) {
    event = YamlEvent{};
    const bool is_start = state_ == State::kStreamStart;
    if (!step(event)) {
      return error();
    }
    if (!is_start) {
      return {};
    }
  }
}

// go-yaml names lines in its own way: scanner errors count from one, others from zero.
Error YamlEvents::error() const {
  const YamlProblem& failed = problem();
  int line = 0;
  if (failed.mark.line != 0) {
    line = failed.mark.line + (failed.origin == YamlProblem::Origin::kScanner ? 1 : 0);
  } else {
    line = failed.context_mark.line;
  }
  Error error(ErrorCode::kParse,
              "yaml: " + (line == 0 ? "" : "line " + std::to_string(line) + ": ") + failed.text);
  if (failed.origin == YamlProblem::Origin::kReader) {
    return error;
  }
  return std::move(error).at({"", failed.mark.line + 1, failed.mark.column + 1});
}

bool YamlEvents::fail(std::string_view problem, const YamlMark& mark, const YamlMark& context) {
  parser_problem_ = {YamlProblem::Origin::kParser, std::string(problem), mark, context};
  return false;
}

bool YamlEvents::step(YamlEvent& event) {
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
  event.kind = YamlEventKind::kStreamEnd;
  return true;
}

YamlEvents::State YamlEvents::pop_state() {
  const State state = states_.back();
  states_.pop_back();
  return state;
}

bool YamlEvents::empty_scalar(YamlEvent& event, const YamlMark& mark, State next_state) {
  state_ = next_state;
  event.kind = YamlEventKind::kScalar;
  event.implicit = true;
  event.line = mark.line + 1;
  event.column = mark.column + 1;
  return true;
}

// stream ::= STREAM-START document* STREAM-END
bool YamlEvents::stream_start(YamlEvent& event) {
  if (scanner_.peek() == nullptr) {
    return false;
  }
  event.kind = YamlEventKind::kStreamEnd;  // Nobody sees this event.
  state_ = State::kFirstDocumentStart;
  scanner_.skip();
  return true;
}

// document ::= block_node DOCUMENT-END* | DIRECTIVE* DOCUMENT-START block_node? DOCUMENT-END*
bool YamlEvents::document_start(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  while (state_ == State::kDocumentStart && token != nullptr &&
         token->kind == Token::kDocumentEnd) {
    scanner_.skip();
    token = scanner_.peek();
  }
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kStreamEnd) {
    state_ = State::kEnd;
    event.kind = YamlEventKind::kStreamEnd;
    return true;
  }
  event.kind = YamlEventKind::kDocumentStart;
  event.line = token->start.line + 1;
  event.column = token->start.column + 1;
  const bool is_explicit = token->kind == Token::kVersionDirective ||
                           token->kind == Token::kTagDirective ||
                           token->kind == Token::kDocumentStart;
  if (is_explicit || state_ == State::kDocumentStart) {
    return explicit_document();
  }
  states_.push_back(State::kDocumentEnd);
  state_ = State::kBlockNode;
  return true;
}

bool YamlEvents::explicit_document() {
  if (!directives()) {
    return false;
  }
  const YamlToken* token = scanner_.peek();
  if (token->kind != Token::kDocumentStart) {
    return fail("did not find expected <document start>", token->start);
  }
  states_.push_back(State::kDocumentEnd);
  state_ = State::kDocumentContent;
  scanner_.skip();
  return true;
}

bool YamlEvents::document_content(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  switch (token->kind) {
    case Token::kVersionDirective:
    case Token::kTagDirective:
    case Token::kDocumentStart:
    case Token::kDocumentEnd:
    case Token::kStreamEnd:
      return empty_scalar(event, token->start, pop_state());
    default:
      return node(event, Context::kBlock);
  }
}

bool YamlEvents::document_end(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kDocumentEnd) {
    scanner_.skip();
  }
  tag_prefixes_.clear();
  state_ = State::kDocumentStart;
  event.kind = YamlEventKind::kDocumentEnd;
  return true;
}

// Reads the directives; a token follows them.
bool YamlEvents::directives() {
  bool seen_version = false;
  const YamlToken* token = scanner_.peek();
  while (token != nullptr &&
         (token->kind == Token::kVersionDirective || token->kind == Token::kTagDirective)) {
    if (!(token->kind == Token::kVersionDirective ? version_directive(*token, seen_version)
                                                  : tag_directive(*token))) {
      return false;
    }
    scanner_.skip();
    token = scanner_.peek();
  }
  return token != nullptr;
}

bool YamlEvents::version_directive(const YamlToken& token, bool& seen) {
  if (seen) {
    return fail("found duplicate %YAML directive", token.start);
  }
  seen = true;
  return token.text == "1.1" || fail("found incompatible YAML document", token.start);
}

bool YamlEvents::tag_directive(const YamlToken& token) {
  return tag_prefixes_.emplace(token.text, token.suffix).second ||
         fail("found duplicate %TAG directive", token.start);
}

// node ::= ALIAS | properties? content?
bool YamlEvents::node(YamlEvent& event, Context context) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kAlias) {
    state_ = pop_state();
    event.kind = YamlEventKind::kAlias;
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
bool YamlEvents::properties(Properties& found) {
  std::optional<YamlToken> tag;
  const YamlToken* token = scanner_.peek();
  while (token != nullptr && ((token->kind == Token::kTag && !tag) ||
                              (token->kind == Token::kAnchor && found.anchor.empty()))) {
    if (token->kind == Token::kTag) {
      tag = *token;
      scanner_.skip();
    } else {
      found.anchor = scanner_.take_text();
    }
    token = scanner_.peek();
  }
  return token != nullptr && (!tag || resolve_tag(*tag, found.start, found.tag));
}

bool YamlEvents::resolve_tag(const YamlToken& token, const YamlMark& node_start,
                             std::string_view& tag) {
  if (token.text.empty()) {
    tag = token.suffix;
    return true;
  }
  const auto declared = tag_prefixes_.find(token.text);
  const std::string_view prefix = declared != tag_prefixes_.end() ? declared->second
                                  : token.text == "!"             ? "!"
                                  : token.text == "!!"            ? kYamlTagPrefix
                                                                  : "";
  const bool known = declared != tag_prefixes_.end() || !prefix.empty();
  if (known) {
    tag = scanner_.keep(std::string(prefix) + std::string(token.suffix));
  }
  return !tag.empty() || fail("found undefined tag handle", token.start, node_start);
}

// content ::= SCALAR | collection; may be missing after properties.
bool YamlEvents::node_content(YamlEvent& event, Context context, Properties& found) {
  const YamlToken& token = *scanner_.peek();
  event.line = found.start.line + 1;
  event.column = found.start.column + 1;
  if (token.kind == Token::kScalar) {
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
  event.kind = YamlEventKind::kScalar;
  state_ = pop_state();
  return true;
}

bool YamlEvents::scalar(YamlEvent& event, const YamlToken& token, Properties& found) {
  event.kind = YamlEventKind::kScalar;
  event.implicit = (found.tag.empty() && token.plain) || found.tag == "!";
  event.anchor = found.anchor;
  event.tag = found.tag;
  event.value = scanner_.take_text();
  state_ = pop_state();
  return true;
}

// False where the token starts no collection that may stand here.
bool YamlEvents::start_collection(YamlEvent& event, Token kind, Context context) {
  const bool block = context != Context::kFlow;
  if (kind == Token::kBlockEntry && context == Context::kBlockOrIndentlessSequence) {
    state_ = State::kIndentlessSequenceEntry;
    event.kind = YamlEventKind::kSequenceStart;
  } else if (kind == Token::kFlowSequenceStart) {
    state_ = State::kFlowSequenceFirstEntry;
    event.kind = YamlEventKind::kSequenceStart;
  } else if (kind == Token::kFlowMappingStart) {
    state_ = State::kFlowMappingFirstKey;
    event.kind = YamlEventKind::kMappingStart;
  } else if (kind == Token::kBlockSequenceStart && block) {
    state_ = State::kBlockSequenceFirstEntry;
    event.kind = YamlEventKind::kSequenceStart;
  } else if (kind == Token::kBlockMappingStart && block) {
    state_ = State::kBlockMappingFirstKey;
    event.kind = YamlEventKind::kMappingStart;
  } else {
    return false;
  }
  return true;
}

}  // namespace chartwright::yaml
