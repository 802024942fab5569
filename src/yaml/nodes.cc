// SPDX-License-Identifier: Apache-2.0
#include "yaml/nodes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "yaml/events.h"

namespace chartwright::yaml {
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

  base::Result<Document> read() {
    Event event;
    CW_TRY_VOID(events_.next(event));
    if (event.kind == EventKind::kStreamEnd) {
      return Document{};
    }
    for (;;) {
      CW_TRY_VOID(events_.next(event));
      if (event.kind == EventKind::kDocumentEnd) {
        document_.texts = events_.take_texts();
        return std::move(document_);
      }
      CW_TRY_VOID(add(event));
    }
  }

 private:
  base::Status add(Event& event) {
    switch (event.kind) {
      case EventKind::kAlias:
        return add_alias(event);
      case EventKind::kScalar:
        append(NodeKind::kScalar, event);
        return {};
      case EventKind::kSequenceStart:
        return open(NodeKind::kSequence, event);
      case EventKind::kMappingStart:
        return open(NodeKind::kMapping, event);
      case EventKind::kSequenceEnd:
      case EventKind::kMappingEnd:
        close();
        return {};
      case EventKind::kStreamEnd:
      case EventKind::kDocumentStart:
      case EventKind::kDocumentEnd:
        break;
    }
    return Error(ErrorCode::kInternal, "yaml: unexpected event inside a document");
  }

  NodeId append(NodeKind kind, Event& event) {
    const auto id = static_cast<NodeId>(document_.nodes.size());
    Node& node = document_.nodes.emplace_back();
    node.kind = kind;
    node.implicit = event.implicit;
    node.line = event.line;
    node.column = std::in_range<uint16_t>(event.column) ? static_cast<uint16_t>(event.column) : 0;
    node.tag = event.tag;
    node.text = event.value;
    if (!event.anchor.empty() && kind != NodeKind::kAlias) {
      anchors_[event.anchor] = id;
    }
    if (!open_.empty()) {
      waiting_.push_back(id);
    }
    return id;
  }

  base::Status open(NodeKind kind, Event& event) {
    const int line = event.line;
    const int column = event.column;
    const NodeId id = append(kind, event);
    open_.push_back({id, waiting_.size()});
    if (open_.size() > kDepthMax) {
      return Error(ErrorCode::kBudget, "yaml: exceeded max depth of " + std::to_string(kDepthMax))
          .at({"", line, column});
    }
    return {};
  }

  // Stores the children of the innermost collection contiguously.
  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(closed.first_child);
    lay(closed.node, first, waiting_.end());
    waiting_.erase(first, waiting_.end());
  }

  template <typename Iterator>
  void lay(NodeId parent, Iterator begin, Iterator end) {
    Node& node = document_.nodes[parent];
    node.first_child = static_cast<uint32_t>(document_.children.size());
    document_.children.insert(document_.children.end(), begin, end);
    node.child_count = static_cast<uint32_t>(document_.children.size()) - node.first_child;
  }

  base::Status add_alias(Event& event) {
    const auto anchor = anchors_.find(event.anchor);
    if (anchor == anchors_.end()) {
      return Error(ErrorCode::kParse,
                   "yaml: unknown anchor '" + std::string(event.anchor) + "' referenced")
          .at({"", event.line, event.column});
    }
    event.value = event.anchor;
    const NodeId id = append(NodeKind::kAlias, event);
    lay(id, &anchor->second, &anchor->second + 1);
    return {};
  }

  struct Open {
    NodeId node;
    size_t first_child;  // In waiting_.
  };

  Events events_;
  Document document_;
  std::vector<Open> open_;
  std::vector<NodeId> waiting_;  // Children of the open collections, the innermost one's last.
  std::unordered_map<std::string_view, NodeId> anchors_;
};

}  // namespace

base::Result<Document> read_yaml_document(std::string_view text) { return NodeReader(text).read(); }

}  // namespace chartwright::yaml
