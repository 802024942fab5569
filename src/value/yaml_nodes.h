// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/yaml_scalar_value.h"

namespace chartwright::value {

enum class YamlNodeKind : uint8_t { kScalar, kAlias, kSequence, kMapping };

/// Index of a node in its document.
using YamlNodeId = uint32_t;

/// One node of a document as it was written: nothing typed, merged or expanded yet.
struct YamlNode {
  YamlNodeKind kind = YamlNodeKind::kScalar;
  bool implicit = false;  ///< As in YamlEvent.
  int line = 0;           ///< 1-based.
  std::string tag;        ///< A scalar's full tag; empty for none.
  std::string text;       ///< A scalar's text; an alias's name.
  /// A sequence's items; a mapping's keys and values by turns; the node an alias stands for (which
  /// may be one that holds the alias).
  std::vector<YamlNodeId> children;

  WrittenScalar written() const { return {tag, text, implicit}; }
};

/// The nodes of one document. The root is node 0.
struct YamlDocument {
  std::vector<YamlNode> nodes;
  bool empty() const { return nodes.empty(); }  ///< The stream held no document.
  const YamlNode& at(YamlNodeId id) const { return nodes[id]; }
};

/// Collections may be nested so deep, as in go-yaml and encoding/json.
inline constexpr size_t kMaxYamlDepth = 10000;

/// Reads the first document of a stream. Errors: those of YamlEvents; kParse `yaml: unknown anchor
/// 'x' referenced`; kBudget past kMaxYamlDepth. Source: go.yaml.in/yaml/v2 decode.go (parser).
base::Result<YamlDocument> read_yaml_document(std::string_view text);

}  // namespace chartwright::value
