// SPDX-License-Identifier: Apache-2.0
#include "value/yaml_nodes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "value/yaml_events.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;

// Builds a document's nodes from events, with its own stack of open collections.
class NodeReader {
 public:
  explicit NodeReader(std::string_view text) : events_(text) {
    constexpr size_t kBytesPerNode = 16;
    constexpr size_t kNodesMax = 1024;
    document_.nodes.reserve(std::min(text.size() / kBytesPerNode + 1, kNodesMax));
  }

  base::Result<YamlDocument> read() {
    YamlEvent event;
    CW_TRY_VOID(events_.next(event));
    if (event.kind == YamlEventKind::kStreamEnd) {
      return YamlDocument{};
    }
    for (;;) {
      CW_TRY_VOID(events_.next(event));
      if (event.kind == YamlEventKind::kDocumentEnd) {
        return std::move(document_);
      }
      CW_TRY_VOID(add(event));
    }
  }

 private:
  base::Status add(YamlEvent& event) {
    switch (event.kind) {
      case YamlEventKind::kAlias:
        return add_alias(event);
      case YamlEventKind::kScalar:
        append(YamlNodeKind::kScalar, event);
        return {};
      case YamlEventKind::kSequenceStart:
        return open(YamlNodeKind::kSequence, event);
      case YamlEventKind::kMappingStart:
        return open(YamlNodeKind::kMapping, event);
      case YamlEventKind::kSequenceEnd:
      case YamlEventKind::kMappingEnd:
        open_.pop_back();
        return {};
      case YamlEventKind::kStreamEnd:
      case YamlEventKind::kDocumentStart:
      case YamlEventKind::kDocumentEnd:
        break;
    }
    return Error(ErrorCode::kInternal, "yaml: unexpected event inside a document");
  }

  YamlNodeId append(YamlNodeKind kind, YamlEvent& event) {
    const auto id = static_cast<YamlNodeId>(document_.nodes.size());
    YamlNode& node = document_.nodes.emplace_back();
    node.kind = kind;
    node.implicit = event.implicit;
    node.line = event.line;
    node.tag = std::move(event.tag);
    node.text = std::move(event.value);
    if (!event.anchor.empty() && kind != YamlNodeKind::kAlias) {
      anchors_[event.anchor] = id;
    }
    if (!open_.empty()) {
      document_.nodes[open_.back()].children.push_back(id);
    }
    return id;
  }

  base::Status open(YamlNodeKind kind, YamlEvent& event) {
    const int line = event.line;
    const int column = event.column;
    open_.push_back(append(kind, event));
    if (open_.size() > kMaxYamlDepth) {
      return Error(ErrorCode::kBudget,
                   "yaml: exceeded max depth of " + std::to_string(kMaxYamlDepth))
          .at({"", line, column});
    }
    return {};
  }

  base::Status add_alias(YamlEvent& event) {
    const auto anchor = anchors_.find(event.anchor);
    if (anchor == anchors_.end()) {
      return Error(ErrorCode::kParse, "yaml: unknown anchor '" + event.anchor + "' referenced")
          .at({"", event.line, event.column});
    }
    event.value = event.anchor;
    const YamlNodeId id = append(YamlNodeKind::kAlias, event);
    document_.nodes[id].children.push_back(anchor->second);
    return {};
  }

  YamlEvents events_;
  YamlDocument document_;
  std::vector<YamlNodeId> open_;
  std::unordered_map<std::string, YamlNodeId> anchors_;
};

}  // namespace

base::Result<YamlDocument> read_yaml_document(std::string_view text) {
  return NodeReader(text).read();
}

}  // namespace chartwright::value
