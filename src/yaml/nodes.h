// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "yaml/scalar_value.h"
#include "yaml/text.h"

namespace chartwright::yaml {

enum class NodeKind : uint8_t { kScalar, kAlias, kSequence, kMapping };

/// Index of a node in its document.
using NodeId = uint32_t;

/// A node of a document as it was written: nothing is typed, merged or expanded yet.
struct Node {
  NodeKind kind = NodeKind::kScalar;
  bool implicit = false;     ///< The same as in Event.
  uint16_t column = 0;       ///< 1-based; 0: beyond what it holds.
  int line = 0;              ///< 1-based.
  std::string_view tag;      ///< A scalar's full tag; empty for none.
  std::string_view text;     ///< A scalar's text; an alias's name.
  uint32_t first_child = 0;  ///< Index in the document's `children`; children are contiguous.
  uint32_t child_count = 0;

  WrittenScalar written() const { return {tag, text, implicit}; }
};

/// The nodes of one document. The root is node 0. The text that the document was read from must
/// outlive it.
struct Document {
  std::vector<Node> nodes;
  Texts texts;                   ///< Strings that nodes have views into, apart from the stream.
  std::vector<NodeId> children;  ///< The children of all nodes; see children_of().

  bool empty() const { return nodes.empty(); }  ///< True if the stream held no document.
  const Node& at(NodeId id) const { return nodes[id]; }
  /// Returns a sequence's items, a mapping's alternating keys and values, or the node that an alias
  /// stands for (which may contain the alias).
  std::span<const NodeId> children_of(const Node& node) const {
    return std::span(children).subspan(node.first_child, node.child_count);
  }
  /// Returns the node itself or, for an alias, the node that it stands for.
  const Node& target(NodeId id) const {
    return at(id).kind == NodeKind::kAlias ? at(children_of(at(id)).front()) : at(id);
  }
};

/// Maximum nesting of collections, as in go-yaml and encoding/json.
inline constexpr size_t kDepthMax = 10000;

/// Reads the first document of a stream. Errors: those of Events; kParse `yaml: unknown anchor
/// 'x' referenced`; kBudget beyond kDepthMax. Source: go.yaml.in/yaml/v2 decode.go (parser).
base::Result<Document> read_yaml_document(std::string_view text);

}  // namespace chartwright::yaml
