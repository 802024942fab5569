// SPDX-License-Identifier: Apache-2.0
#include "yaml/events.h"

// Block and flow collections.
namespace chartwright::yaml {

using Token = YamlTokenKind;

// Takes the token that ends a collection.
bool YamlEvents::end_collection(YamlEvent& event, YamlEventKind kind) {
  state_ = pop_state();
  marks_.pop_back();
  event.kind = kind;
  scanner_.skip();
  return true;
}

// Takes the token that starts a collection.
void YamlEvents::enter_collection() {
  marks_.push_back(scanner_.peek()->start);
  scanner_.skip();
}

// block_sequence ::= BLOCK-SEQUENCE-START (BLOCK-ENTRY block_node?)* BLOCK-END
bool YamlEvents::block_sequence_entry(YamlEvent& event) {
  if (state_ == State::kBlockSequenceFirstEntry) {
    enter_collection();
  }
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kBlockEnd) {
    return end_collection(event, YamlEventKind::kSequenceEnd);
  }
  if (token->kind != Token::kBlockEntry) {
    return fail("did not find expected '-' indicator", token->start, marks_.back());
  }
  const YamlMark mark = token->end;
  scanner_.skip();
  token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kBlockEntry || token->kind == Token::kBlockEnd) {
    return empty_scalar(event, mark, State::kBlockSequenceEntry);
  }
  states_.push_back(State::kBlockSequenceEntry);
  return node(event, Context::kBlock);
}

// indentless_sequence ::= (BLOCK-ENTRY block_node?)+
bool YamlEvents::indentless_sequence_entry(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind != Token::kBlockEntry) {
    state_ = pop_state();
    event.kind = YamlEventKind::kSequenceEnd;
    return true;
  }
  const YamlMark mark = token->end;
  scanner_.skip();
  token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kBlockEntry || ends_block_mapping_part(token->kind)) {
    return empty_scalar(event, mark, State::kIndentlessSequenceEntry);
  }
  states_.push_back(State::kIndentlessSequenceEntry);
  return node(event, Context::kBlock);
}

bool YamlEvents::ends_block_mapping_part(Token kind) {
  return kind == Token::kKey || kind == Token::kValue || kind == Token::kBlockEnd;
}

// block_mapping ::= BLOCK-MAPPING-START ((KEY node?)? (VALUE node?)?)* BLOCK-END
bool YamlEvents::block_mapping_key(YamlEvent& event) {
  if (state_ == State::kBlockMappingFirstKey) {
    enter_collection();
  }
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kBlockEnd) {
    return end_collection(event, YamlEventKind::kMappingEnd);
  }
  if (token->kind != Token::kKey) {
    return fail("did not find expected key", token->start, marks_.back());
  }
  return block_mapping_part(event, State::kBlockMappingValue);
}

bool YamlEvents::block_mapping_value(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind != Token::kValue) {
    return empty_scalar(event, token->start, State::kBlockMappingKey);
  }
  return block_mapping_part(event, State::kBlockMappingKey);
}

// The node after KEY or VALUE, which may be missing.
bool YamlEvents::block_mapping_part(YamlEvent& event, State after) {
  const YamlMark mark = scanner_.peek()->end;
  scanner_.skip();
  const YamlToken* token = scanner_.peek();
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
bool YamlEvents::flow_sequence_entry(YamlEvent& event) {
  const bool first = state_ == State::kFlowSequenceFirstEntry;
  if (first) {
    enter_collection();
  }
  const YamlToken* token = scanner_.peek();
  if (token != nullptr && !first && token->kind != Token::kFlowSequenceEnd) {
    if (token->kind != Token::kFlowEntry) {
      return fail("did not find expected ',' or ']'", token->start, marks_.back());
    }
    scanner_.skip();
    token = scanner_.peek();
  }
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kFlowSequenceEnd) {
    return end_collection(event, YamlEventKind::kSequenceEnd);
  }
  if (token->kind == Token::kKey) {
    state_ = State::kFlowPairKey;
    event.kind = YamlEventKind::kMappingStart;
    event.line = token->start.line + 1;
    event.column = token->start.column + 1;
    scanner_.skip();
    return true;
  }
  states_.push_back(State::kFlowSequenceEntry);
  return node(event, Context::kFlow);
}

// A mapping of one pair inside a flow sequence: [a: b].
bool YamlEvents::flow_pair_key(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kValue || token->kind == Token::kFlowEntry ||
      token->kind == Token::kFlowSequenceEnd) {
    // go-yaml swallows the token here.
    const YamlMark mark = token->end;
    scanner_.skip();
    return empty_scalar(event, mark, State::kFlowPairValue);
  }
  states_.push_back(State::kFlowPairValue);
  return node(event, Context::kFlow);
}

bool YamlEvents::flow_pair_value(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  // go-yaml places an empty value where the colon is.
  const YamlMark mark = token->start;
  if (token->kind == Token::kValue) {
    scanner_.skip();
    token = scanner_.peek();
    if (token == nullptr) {
      return false;
    }
    if (token->kind != Token::kFlowEntry && token->kind != Token::kFlowSequenceEnd) {
      states_.push_back(State::kFlowPairEnd);
      return node(event, Context::kFlow);
    }
  }
  return empty_scalar(event, mark, State::kFlowPairEnd);
}

bool YamlEvents::flow_pair_end(YamlEvent& event) {
  if (scanner_.peek() == nullptr) {
    return false;
  }
  state_ = State::kFlowSequenceEntry;
  event.kind = YamlEventKind::kMappingEnd;
  return true;
}

// flow_mapping ::= "{" (entry ",")* entry? "}"; entry ::= flow_node | KEY flow_node? (VALUE ...)?
bool YamlEvents::flow_mapping_key(YamlEvent& event) {
  const bool first = state_ == State::kFlowMappingFirstKey;
  if (first) {
    enter_collection();
  }
  const YamlToken* token = scanner_.peek();
  if (token != nullptr && !first && token->kind != Token::kFlowMappingEnd) {
    if (token->kind != Token::kFlowEntry) {
      return fail("did not find expected ',' or '}'", token->start, marks_.back());
    }
    scanner_.skip();
    token = scanner_.peek();
  }
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kFlowMappingEnd) {
    return end_collection(event, YamlEventKind::kMappingEnd);
  }
  if (token->kind == Token::kKey) {
    return flow_mapping_part(event, State::kFlowMappingValue);
  }
  states_.push_back(State::kFlowMappingEmptyValue);
  return node(event, Context::kFlow);
}

bool YamlEvents::flow_mapping_value(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kValue) {
    return flow_mapping_part(event, State::kFlowMappingKey);
  }
  return empty_scalar(event, token->start, State::kFlowMappingKey);
}

// The node after KEY or VALUE, which may be missing.
bool YamlEvents::flow_mapping_part(YamlEvent& event, State after) {
  const bool is_key = scanner_.peek()->kind == Token::kKey;
  scanner_.skip();
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  if (token->kind == Token::kFlowEntry || token->kind == Token::kFlowMappingEnd ||
      (is_key && token->kind == Token::kValue)) {
    return empty_scalar(event, token->start, after);
  }
  states_.push_back(after);
  return node(event, Context::kFlow);
}

bool YamlEvents::flow_mapping_empty_value(YamlEvent& event) {
  const YamlToken* token = scanner_.peek();
  if (token == nullptr) {
    return false;
  }
  return empty_scalar(event, token->start, State::kFlowMappingKey);
}

}  // namespace chartwright::yaml
