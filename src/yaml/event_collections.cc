// SPDX-License-Identifier: Apache-2.0
#include "yaml/events.h"

// Block and flow collections.
namespace chartwright::yaml {

// Removes the token that ends a collection.
bool Events::end_collection(Event& event, EventKind kind) {
  state_ = pop_state();
  marks_.pop_back();
  event.kind = kind;
  scanner_.skip();
  return true;
}

// Removes the token that starts a collection.
void Events::enter_collection() {
  marks_.push_back(scanner_.peek()->start);
  scanner_.skip();
}

// block_sequence ::= BLOCK-SEQUENCE-START (BLOCK-ENTRY block_node?)* BLOCK-END
bool Events::block_sequence_entry(Event& event) {
  if (state_ == State::kBlockSequenceFirstEntry) {
    enter_collection();
  }
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kBlockEnd) {
    return end_collection(event, EventKind::kSequenceEnd);
  }
  if (token->kind != TokenKind::kBlockEntry) {
    return fail("did not find expected '-' indicator", token->start, marks_.back());
  }
  const Mark mark = token->end;
  scanner_.skip();
  token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kBlockEntry || token->kind == TokenKind::kBlockEnd) {
    return empty_scalar(event, mark, State::kBlockSequenceEntry);
  }
  states_.push_back(State::kBlockSequenceEntry);
  return node(event, Context::kBlock);
}

// indentless_sequence ::= (BLOCK-ENTRY block_node?)+
bool Events::indentless_sequence_entry(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind != TokenKind::kBlockEntry) {
    state_ = pop_state();
    event.kind = EventKind::kSequenceEnd;
    return true;
  }
  const Mark mark = token->end;
  scanner_.skip();
  token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kBlockEntry || ends_block_mapping_part(token->kind)) {
    return empty_scalar(event, mark, State::kIndentlessSequenceEntry);
  }
  states_.push_back(State::kIndentlessSequenceEntry);
  return node(event, Context::kBlock);
}

bool Events::ends_block_mapping_part(TokenKind kind) {
  return kind == TokenKind::kKey || kind == TokenKind::kValue || kind == TokenKind::kBlockEnd;
}

// block_mapping ::= BLOCK-MAPPING-START ((KEY node?)? (VALUE node?)?)* BLOCK-END
bool Events::block_mapping_key(Event& event) {
  if (state_ == State::kBlockMappingFirstKey) {
    enter_collection();
  }
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kBlockEnd) {
    return end_collection(event, EventKind::kMappingEnd);
  }
  if (token->kind != TokenKind::kKey) {
    return fail("did not find expected key", token->start, marks_.back());
  }
  return block_mapping_part(event, State::kBlockMappingValue);
}

bool Events::block_mapping_value(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind != TokenKind::kValue) {
    return empty_scalar(event, token->start, State::kBlockMappingKey);
  }
  return block_mapping_part(event, State::kBlockMappingKey);
}

// Parses the node after KEY or VALUE, which may be missing.
bool Events::block_mapping_part(Event& event, State after) {
  const Mark mark = scanner_.peek()->end;
  scanner_.skip();
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (ends_block_mapping_part(token->kind)) {
    return empty_scalar(event, mark, after);
  }
  states_.push_back(after);
  return node(event, Context::kBlockOrIndentlessSequence);
}

// flow_sequence ::= "[" (entry ",")* entry? "]"; entry ::= flow_node | KEY flow_node? (VALUE ...)?
bool Events::flow_sequence_entry(Event& event) {
  const bool first = state_ == State::kFlowSequenceFirstEntry;
  if (first) {
    enter_collection();
  }
  const Token* token = scanner_.peek();
  if (token != nullptr && !first && token->kind != TokenKind::kFlowSequenceEnd) {
    if (token->kind != TokenKind::kFlowEntry) {
      return fail("did not find expected ',' or ']'", token->start, marks_.back());
    }
    scanner_.skip();
    token = scanner_.peek();
  }
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kFlowSequenceEnd) {
    return end_collection(event, EventKind::kSequenceEnd);
  }
  if (token->kind == TokenKind::kKey) {
    state_ = State::kFlowPairKey;
    event.kind = EventKind::kMappingStart;
    event.line = token->start.line + 1;
    event.column = token->start.column + 1;
    scanner_.skip();
    return true;
  }
  states_.push_back(State::kFlowSequenceEntry);
  return node(event, Context::kFlow);
}

// A mapping of one pair inside a flow sequence: [a: b].
bool Events::flow_pair_key(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kValue || token->kind == TokenKind::kFlowEntry ||
      token->kind == TokenKind::kFlowSequenceEnd) {
    // go-yaml drops the token here.
    const Mark mark = token->end;
    scanner_.skip();
    return empty_scalar(event, mark, State::kFlowPairValue);
  }
  states_.push_back(State::kFlowPairValue);
  return node(event, Context::kFlow);
}

bool Events::flow_pair_value(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  // go-yaml gives an empty value the position of the colon.
  const Mark mark = token->start;
  if (token->kind == TokenKind::kValue) {
    scanner_.skip();
    token = scanner_.peek();
    if (token == nullptr) {
      return false;
    }
    if (token->kind != TokenKind::kFlowEntry && token->kind != TokenKind::kFlowSequenceEnd) {
      states_.push_back(State::kFlowPairEnd);
      return node(event, Context::kFlow);
    }
  }
  return empty_scalar(event, mark, State::kFlowPairEnd);
}

bool Events::flow_pair_end(Event& event) {
  if (scanner_.peek() == nullptr) {
    return false;
  }
  state_ = State::kFlowSequenceEntry;
  event.kind = EventKind::kMappingEnd;
  return true;
}

// flow_mapping ::= "{" (entry ",")* entry? "}"; entry ::= flow_node | KEY flow_node? (VALUE ...)?
bool Events::flow_mapping_key(Event& event) {
  const bool first = state_ == State::kFlowMappingFirstKey;
  if (first) {
    enter_collection();
  }
  const Token* token = scanner_.peek();
  if (token != nullptr && !first && token->kind != TokenKind::kFlowMappingEnd) {
    if (token->kind != TokenKind::kFlowEntry) {
      return fail("did not find expected ',' or '}'", token->start, marks_.back());
    }
    scanner_.skip();
    token = scanner_.peek();
  }
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kFlowMappingEnd) {
    return end_collection(event, EventKind::kMappingEnd);
  }
  if (token->kind == TokenKind::kKey) {
    return flow_mapping_part(event, State::kFlowMappingValue);
  }
  states_.push_back(State::kFlowMappingEmptyValue);
  return node(event, Context::kFlow);
}

bool Events::flow_mapping_value(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kValue) {
    return flow_mapping_part(event, State::kFlowMappingKey);
  }
  return empty_scalar(event, token->start, State::kFlowMappingKey);
}

// Parses the node after KEY or VALUE, which may be missing.
bool Events::flow_mapping_part(Event& event, State after) {
  const bool is_key = scanner_.peek()->kind == TokenKind::kKey;
  scanner_.skip();
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == TokenKind::kFlowEntry || token->kind == TokenKind::kFlowMappingEnd ||
      (is_key && token->kind == TokenKind::kValue)) {
    return empty_scalar(event, token->start, after);
  }
  states_.push_back(after);
  return node(event, Context::kFlow);
}

bool Events::flow_mapping_empty_value(Event& event) {
  const Token* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  return empty_scalar(event, token->start, State::kFlowMappingKey);
}

}  // namespace chartwright::yaml
