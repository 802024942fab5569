// SPDX-License-Identifier: Apache-2.0
#include "yaml/document.h"

#include <yaml-cpp/yaml.h>

#include <set>
#include <unordered_map>
#include <utility>

#include "yaml/events.h"

namespace chartwright::yaml {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::SourcePos;
using base::Status;

constexpr size_t kMaxFileBytes = size_t{4} << 20;
constexpr int kMaxDepth = 100;
// Nodes after the expansion of anchors.
constexpr size_t kMaxNodes = 200'000;

Error budget_error(const std::string& problem, SourcePos pos) {
  return Error(ErrorCode::kBudget, problem).at(std::move(pos));
}

int depth_change(EventKind kind) {
  switch (kind) {
    case EventKind::kSequenceStart:
    case EventKind::kMappingStart:
      return 1;
    case EventKind::kSequenceEnd:
    case EventKind::kMappingEnd:
      return -1;
    default:
      return 0;
  }
}

// Checks the text with our own parser first: text that passes is well-formed as Helm understands
// it, and not too deep for yaml-cpp, which recurses.
class TextCheck {
 public:
  TextCheck(std::string_view text, const std::string& file) : events_(text), file_(file) {}

  Status run() {
    Event event;
    for (;;) {
      if (const Status next = events_.next(event); !next.ok()) {
        const SourcePos at = next.error().pos().value_or(SourcePos{});
        return Error(ErrorCode::kParse, events_.problem().text).at({file_, at.line, at.column});
      }
      if (event.kind == EventKind::kStreamEnd) {
        return {};
      }
      CW_TRY_VOID(check(event));
    }
  }

 private:
  Status check(const Event& event) {
    const SourcePos pos{file_, event.line, event.column};
    if (event.kind == EventKind::kDocumentStart && ++documents_ > 1) {
      return Error(ErrorCode::kParse, "expected a single YAML document, got a second one").at(pos);
    }
    if (event.kind == EventKind::kAlias) {
      if (anchors_.contains(event.anchor)) {
        return {};
      }
      return Error(ErrorCode::kParse, "unknown anchor \"" + std::string(event.anchor) + "\"")
          .at(pos);
    }
    anchors_.emplace(event.anchor);
    depth_ += depth_change(event.kind);
    if (depth_ > kMaxDepth) {
      return budget_error("nested more than " + std::to_string(kMaxDepth) + " levels deep", pos);
    }
    return {};
  }

  Events events_;
  const std::string& file_;
  std::set<std::string, std::less<>> anchors_;
  int documents_ = 0;
  int depth_ = 0;
};

// Copies yaml-cpp's graph into a tree.
class TreeBuilder {
 public:
  TreeBuilder(const std::string& file, MergeKeys merge_keys)
      : file_(file), merge_keys_(merge_keys) {}

  Result<DocumentNode> build(const YAML::Node& from, const std::string& path, int depth) {
    DocumentNode node;
    node.pos = position(from);
    node.path = path;
    if (depth > kMaxDepth) {  // By anchors: TextCheck has bounded the text itself.
      return budget_error("anchors nest this file in itself, or too deep", node.pos);
    }
    if (++count_ > kMaxNodes) {
      return budget_error(
          "more than " + std::to_string(kMaxNodes) + " values, those included that anchors repeat",
          node.pos);
    }
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        fill_scalar(from, node);
        break;
      case YAML::NodeType::Sequence:
        CW_TRY_VOID(fill_list(from, node, depth));
        break;
      case YAML::NodeType::Map:
        CW_TRY_VOID(fill_map(from, node, depth));
        break;
    }
    return node;
  }

 private:
  SourcePos position(const YAML::Node& node) const {
    const YAML::Mark mark = node.Mark();
    return mark.is_null() ? SourcePos{file_, 0, 0}
                          : SourcePos{file_, mark.line + 1, mark.column + 1};
  }

  static void fill_scalar(const YAML::Node& from, DocumentNode& node) {
    node.kind = DocumentNode::Kind::kScalar;
    node.text = from.Scalar();
    node.plain = from.Tag() == "?";
    if (!node.plain && from.Tag() != "!") {
      node.tag = from.Tag();
    }
  }

  Status fill_list(const YAML::Node& from, DocumentNode& node, int depth) {
    node.kind = DocumentNode::Kind::kList;
    for (const YAML::Node& item : from) {
      const std::string path = node.path + "[" + std::to_string(node.items.size()) + "]";
      CW_TRY(DocumentNode built, build(item, path, depth + 1));
      node.items.push_back(std::move(built));
    }
    return {};
  }

  Status fill_map(const YAML::Node& from, DocumentNode& node, int depth) {
    node.kind = DocumentNode::Kind::kMap;
    std::unordered_map<std::string, int> lines;  // The lines of the keys so far.
    for (const auto& pair : from) {
      CW_TRY(DocumentNode key, build(pair.first, node.path, depth + 1));
      CW_TRY_VOID(check_key(key));
      if (const auto [first, is_new] = lines.emplace(key.text, key.pos.line); !is_new) {
        return document_error(node, "duplicate key \"" + key.text + "\", first on line " +
                                        std::to_string(first->second))
            .at(key.pos);
      }
      const std::string path = node.path.empty() ? key.text : node.path + "." + key.text;
      CW_TRY(DocumentNode value, build(pair.second, path, depth + 1));
      node.entries.push_back({std::move(key), std::move(value)});
    }
    return {};
  }

  Status check_key(const DocumentNode& key) const {
    if (key.kind != DocumentNode::Kind::kScalar) {
      return document_error(key, "a key must be a string");
    }
    if (merge_keys_ == MergeKeys::kRefuse && key.plain && key.text == "<<") {
      return document_error(key, "merge keys (<<) do not work here: write the members out");
    }
    return {};
  }

  const std::string& file_;
  const MergeKeys merge_keys_;
  size_t count_ = 0;
};

}  // namespace

Result<DocumentNode> parse_document(std::string_view text, const std::string& file,
                                    MergeKeys merge_keys) {
  if (text.size() > kMaxFileBytes) {
    return budget_error("longer than " + std::to_string(kMaxFileBytes) + " bytes", {file, 0, 0});
  }
  CW_TRY_VOID(TextCheck(text, file).run());
  try {
    return TreeBuilder(file, merge_keys).build(YAML::Load(std::string(text)), "", 0);
  } catch (const YAML::Exception& e) {
    return Error(ErrorCode::kParse, "yaml: " + e.msg)
        .at({file, e.mark.is_null() ? 0 : e.mark.line + 1,
             e.mark.is_null() ? 0 : e.mark.column + 1});
  }
}

}  // namespace chartwright::yaml
