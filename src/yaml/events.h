// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "yaml/scanner.h"

namespace chartwright::yaml {

enum class YamlEventKind : uint8_t {
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

/// One step of a walk through a YAML stream. Its texts are views into the stream's and into what
/// the YamlEvents that gave it keeps.
struct YamlEvent {
  YamlEventKind kind = YamlEventKind::kStreamEnd;
  /// The scalar is plain, or tagged "!": it may be a merge key, and untagged its text decides its
  /// type.
  bool implicit = false;
  int line = 0;             ///< 1-based.
  int column = 0;           ///< 1-based.
  std::string_view anchor;  ///< Defined by a node or named by an alias; empty for none.
  std::string_view tag;     ///< A scalar's full tag; empty for none.
  std::string_view value;   ///< A scalar's text.
};

/// Turns YAML 1.1 text into events, as go-yaml's parser does. The text must outlive it. Not
/// thread-safe. Source: go.yaml.in/yaml/v2 parserc.go.
class YamlEvents {
 public:
  explicit YamlEvents(std::string_view text) : scanner_(text) {}

  /// Puts the next event into `event`; kStreamEnd again and again after the end. Error: kParse with
  /// go-yaml's text
  /// ("yaml: line 2: did not find expected key") and the true line and column; final.
  base::Status next(YamlEvent& event);

  /// Hands over what the texts of events are views into, beside the stream. No more events then.
  YamlTexts take_texts() { return scanner_.take_texts(); }

  /// What next() failed on, without go-yaml's way of naming the line.
  const YamlProblem& problem() const {
    return parser_problem_ ? *parser_problem_ : scanner_.problem();
  }

 private:
  // What the grammar expects next. Collections push the state to return to.
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
  // Where a node stands, which decides what it may be.
  enum class Context : uint8_t { kBlock, kBlockOrIndentlessSequence, kFlow };
  struct Properties {
    YamlMark start;
    std::string_view anchor;
    std::string_view tag;
  };

  bool step(YamlEvent& event);
  bool fail(std::string_view problem, const YamlMark& mark, const YamlMark& context = {});
  base::Error error() const;
  State pop_state();
  bool empty_scalar(YamlEvent& event, const YamlMark& mark, State next_state);
  void enter_collection();
  bool end_collection(YamlEvent& event, YamlEventKind kind);

  bool stream_start(YamlEvent& event);
  bool document_start(YamlEvent& event);
  bool explicit_document();
  bool document_content(YamlEvent& event);
  bool document_end(YamlEvent& event);
  bool directives();
  bool version_directive(const YamlToken& token, bool& seen);
  bool tag_directive(const YamlToken& token);

  bool node(YamlEvent& event, Context context);
  bool properties(Properties& found);
  bool resolve_tag(const YamlToken& token, const YamlMark& node_start, std::string_view& tag);
  bool node_content(YamlEvent& event, Context context, Properties& found);
  bool scalar(YamlEvent& event, const YamlToken& token, Properties& found);
  bool start_collection(YamlEvent& event, YamlTokenKind kind, Context context);

  bool block_sequence_entry(YamlEvent& event);
  bool indentless_sequence_entry(YamlEvent& event);
  bool block_mapping_key(YamlEvent& event);
  bool block_mapping_value(YamlEvent& event);
  bool block_mapping_part(YamlEvent& event, State after);
  static bool ends_block_mapping_part(YamlTokenKind kind);
  bool flow_sequence_entry(YamlEvent& event);
  bool flow_pair_key(YamlEvent& event);
  bool flow_pair_value(YamlEvent& event);
  bool flow_pair_end(YamlEvent& event);
  bool flow_mapping_key(YamlEvent& event);
  bool flow_mapping_value(YamlEvent& event);
  bool flow_mapping_part(YamlEvent& event, State after);
  bool flow_mapping_empty_value(YamlEvent& event);

  YamlScanner scanner_;
  std::optional<YamlProblem> parser_problem_;
  State state_ = State::kStreamStart;
  std::vector<State> states_;
  std::vector<YamlMark> marks_;  // Where the open collections start.
  // By handle, as the document at hand declares them.
  std::unordered_map<std::string_view, std::string_view> tag_prefixes_;
};

}  // namespace chartwright::yaml
