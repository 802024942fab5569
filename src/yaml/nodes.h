// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "yaml/scalar_value.h"
#include "yaml/text.h"

namespace chartwright::yaml {

enum class YamlNodeKind : uint8_t { kScalar, kAlias, kSequence, kMapping };

/// Index of a node in its document.
using YamlNodeId = uint32_t;

/// One node of a document as it was written: nothing typed, merged or expanded yet.
struct YamlNode {
  YamlNodeKind kind = YamlNodeKind::kScalar;
  bool implicit = false;     ///< As in YamlEvent.
  int line = 0;              ///< 1-based.
  std::string_view tag;      ///< A scalar's full tag; empty for none.
  std::string_view text;     ///< A scalar's text; an alias's name.
  uint32_t first_child = 0;  ///< In the document's `children`, where they are side by side.
  uint32_t child_count = 0;

  WrittenScalar written() const { return {tag, text, implicit}; }
};

/// The nodes of one document. The root is node 0. The text that it was read from must outlive it.
struct YamlDocument {
  std::vector<YamlNode> nodes;
  YamlTexts texts;                   ///< What nodes have views into, beside the stream.
  std::vector<YamlNodeId> children;  ///< Of all nodes; children_of() tells them apart.

  bool empty() const { return nodes.empty(); }  ///< The stream held no document.
  const YamlNode& at(YamlNodeId id) const { return nodes[id]; }
  /// A sequence's items; a mapping's keys and values by turns; the node an alias stands for (which
  /// may be one that holds the alias).
  std::span<const YamlNodeId> children_of(const YamlNode& node) const {
    return std::span(children).subspan(node.first_child, node.child_count);
  }
  /// The node itself, or the one that it stands for.
  const YamlNode& target(YamlNodeId id) const {
    return at(id).kind == YamlNodeKind::kAlias ? at(children_of(at(id)).front()) : at(id);
  }
};

/// Collections may be nested so deep, as in go-yaml and encoding/json.
inline constexpr size_t kMaxYamlDepth = 10000;

/// Reads the first document of a stream. Errors: those of YamlEvents; kParse `yaml: unknown anchor
/// 'x' referenced`; kBudget past kMaxYamlDepth. Source: go.yaml.in/yaml/v2 decode.go (parser).
base::Result<YamlDocument> read_yaml_document(std::string_view text);

}  // namespace chartwright::yaml
