// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "yaml/scanner.h"

namespace chartwright::yaml {

enum class EventKind : uint8_t {
  kStreamEnd,
  kDocumentStart,
  kDocumentEnd,
  kAlias,
  kScalar,
  kSequenceStart,
  kSequenceEnd,
  kMappingStart,
  kMappingEnd,
};

/// An event of a YAML stream. Its strings are views into the stream, or into storage of the
/// Events that returned it.
struct Event {
  EventKind kind = EventKind::kStreamEnd;
  /// The scalar is plain, or tagged "!": it may be a merge key and, if untagged, its text
  /// decides its type.
  bool implicit = false;
  int line = 0;             ///< 1-based.
  int column = 0;           ///< 1-based.
  std::string_view anchor;  ///< Defined by a node or named by an alias; empty for none.
  std::string_view tag;     ///< A scalar's full tag; empty for none.
  std::string_view value;   ///< A scalar's text.
};

/// Turns YAML 1.1 text into events, as go-yaml's parser does. The text must outlive it. Not
/// thread-safe. Source: go.yaml.in/yaml/v2 parserc.go.
class Events {
 public:
  explicit Events(std::string_view text) : scanner_(text) {}

  /// Stores the next event in `event`; after the end, always kStreamEnd. Error: kParse with
  /// go-yaml's message ("yaml: line 2: did not find expected key") and the true line and column. An
  /// error is final.
  base::Status next(Event& event);

  /// Hands over the strings that events have views into and that are not in the stream itself. No
  /// further events may be read.
  Texts take_texts() { return scanner_.take_texts(); }

  /// Returns the problem that next() failed on, without go-yaml's numbering of lines.
  const Problem& problem() const { return parser_problem_ ? *parser_problem_ : scanner_.problem(); }

 private:
  // The part of the grammar that is expected next. Collections push the state to return to.
  enum class State : uint8_t {
    kStreamStart,
    kFirstDocumentStart,
    kDocumentStart,
    kDocumentContent,
    kDocumentEnd,
    kBlockNode,
    kBlockSequenceFirstEntry,
    kBlockSequenceEntry,
    kIndentlessSequenceEntry,
    kBlockMappingFirstKey,
    kBlockMappingKey,
    kBlockMappingValue,
    kFlowSequenceFirstEntry,
    kFlowSequenceEntry,
    kFlowPairKey,
    kFlowPairValue,
    kFlowPairEnd,
    kFlowMappingFirstKey,
    kFlowMappingKey,
    kFlowMappingValue,
    kFlowMappingEmptyValue,
    kEnd,
  };
  // The context of a node, which decides what it may be.
  enum class Context : uint8_t { kBlock, kBlockOrIndentlessSequence, kFlow };
  struct Properties {
    Mark start;
    std::string_view anchor;
    std::string_view tag;
  };

  bool step(Event& event);
  bool fail(std::string_view problem, const Mark& mark, const Mark& context = {});
  base::Error error() const;
  State pop_state();
  bool empty_scalar(Event& event, const Mark& mark, State next_state);
  void enter_collection();
  bool end_collection(Event& event, EventKind kind);

  bool stream_start(Event& event);
  bool document_start(Event& event);
  bool explicit_document();
  bool document_content(Event& event);
  bool document_end(Event& event);
  bool directives();
  bool version_directive(const Token& token, bool& seen);
  bool tag_directive(const Token& token);

  bool node(Event& event, Context context);
  bool properties(Properties& found);
  bool resolve_tag(const Token& token, const Mark& node_start, std::string_view& tag);
  bool node_content(Event& event, Context context, Properties& found);
  bool scalar(Event& event, const Token& token, Properties& found);
  bool start_collection(Event& event, TokenKind kind, Context context);

  bool block_sequence_entry(Event& event);
  bool indentless_sequence_entry(Event& event);
  bool block_mapping_key(Event& event);
  bool block_mapping_value(Event& event);
  bool block_mapping_part(Event& event, State after);
  static bool ends_block_mapping_part(TokenKind kind);
  bool flow_sequence_entry(Event& event);
  bool flow_pair_key(Event& event);
  bool flow_pair_value(Event& event);
  bool flow_pair_end(Event& event);
  bool flow_mapping_key(Event& event);
  bool flow_mapping_value(Event& event);
  bool flow_mapping_part(Event& event, State after);
  bool flow_mapping_empty_value(Event& event);

  Scanner scanner_;
  std::optional<Problem> parser_problem_;
  State state_ = State::kStreamStart;
  std::vector<State> states_;
  std::vector<Mark> marks_;  // The starts of the open collections.
  // The prefixes by their handles, as declared by the current document.
  std::unordered_map<std::string_view, std::string_view> tag_prefixes_;
};

}  // namespace chartwright::yaml
