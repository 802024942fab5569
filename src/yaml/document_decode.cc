// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "yaml/document.h"
#include "yaml/float_text.h"
#include "yaml/scalar_value.h"

namespace chartwright::yaml {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

WrittenScalar written(const DocumentNode& node) { return {node.tag, node.text, node.plain}; }

// Describes a node for messages.
std::string describe(const DocumentNode& node) {
  switch (node.kind) {
    case DocumentNode::Kind::kNull:
      return "nothing";
    case DocumentNode::Kind::kList:
      return "a list";
    case DocumentNode::Kind::kMap:
      return "a map";
    case DocumentNode::Kind::kScalar:
      break;
  }
  switch (type_yaml_scalar(written(node)).value_or(Scalar{}).type) {
    case Type::kNull:
      return "nothing";
    case Type::kBool:
      return "the boolean " + node.text;
    case Type::kInt:
    case Type::kUint:
    case Type::kFloat:
      return "the number " + node.text;
    case Type::kTimestamp:
    case Type::kString:
      break;
  }
  return "the string \"" + node.text + "\"";
}

Error mismatch(const DocumentNode& node, std::string_view expected) {
  return document_error(node, "expected " + std::string(expected) + ", got " + describe(node));
}

// Returns the type of a scalar, or kNull for nothing. A collection is an error.
Result<Scalar> scalar_type(const DocumentNode& node, std::string_view expected) {
  if (node.kind != DocumentNode::Kind::kScalar) {
    return mismatch(node, expected);
  }
  Result<Scalar> typed = type_yaml_scalar(written(node));
  return typed.ok() ? typed : document_error(node, typed.error().message());
}

Result<value::Value> scalar_value(const DocumentNode& node, value::Numbers numbers) {
  Result<value::Value> value = yaml_scalar_value(written(node), numbers);
  if (!value.ok()) {
    return document_error(node, value.error().message());
  }
  if (value->is_float() && !std::isfinite(value->as_float())) {
    return document_error(node, "json: unsupported value: " + format_float_g(value->as_float()));
  }
  return value;
}

Result<value::Value> list_value(const DocumentNode& node, value::Numbers numbers) {
  std::vector<value::Value> items;
  items.reserve(node.items.size());
  for (const DocumentNode& item : node.items) {
    CW_TRY(value::Value value, document_value(item, numbers));
    items.push_back(std::move(value));
  }
  return value::Value::list(std::move(items));
}

Result<value::Value> map_value(const DocumentNode& node, value::Numbers numbers) {
  std::vector<value::Dict::Entry> members;
  members.reserve(node.entries.size());
  for (const DocumentEntry& entry : node.entries) {
    Result<std::optional<std::string>> key = yaml_key_text(written(entry.key));
    if (!key.ok()) {
      return document_error(entry.key, key.error().message());
    }
    if (!*key) {
      return document_error(entry.key, "a key must be a string");
    }
    CW_TRY(value::Value value, document_value(entry.value, numbers));
    members.emplace_back(**std::move(key), std::move(value));
  }
  return value::Value::dict(std::make_shared<value::Dict>(std::move(members)));
}

Error error_at(const DocumentNode& node, ErrorCode code, std::string_view problem) {
  const std::string prefix = node.path.empty() ? "" : node.path + ": ";
  return Error(code, prefix + std::string(problem)).at(node.pos);
}

}  // namespace

const DocumentNode* DocumentNode::find(std::string_view key) const {
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const DocumentEntry& e) { return e.key.text == key; });
  return entry != entries.end() ? &entry->value : nullptr;
}

Error document_error(const DocumentNode& node, std::string_view problem) {
  return error_at(node, ErrorCode::kParse, problem);
}

Error invalid_node(const DocumentNode& node, std::string_view problem) {
  return error_at(node, ErrorCode::kInvalidArgument, problem);
}

bool has_yaml_name(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

Result<std::string> document_string(const DocumentNode& node) {
  CW_TRY(const Scalar typed, scalar_type(node, "a string"));
  if (typed.type != Type::kString && typed.type != Type::kTimestamp) {
    return document_error(node, "expected a string, got " + describe(node) +
                                    "; write it in quotes if it is meant as text");
  }
  CW_TRY(const value::Value value, scalar_value(node, value::Numbers::kInt64));
  return value.as_string();
}

Result<std::string> document_text(const DocumentNode& node) {
  if (node.kind == DocumentNode::Kind::kNull) {
    return std::string();
  }
  CW_TRY_DISCARD(scalar_type(node, "a string"));
  Result<std::string> text = yaml_string_field_text(written(node));
  return text.ok() ? text : document_error(node, text.error().message());
}

Result<bool> document_bool(const DocumentNode& node) {
  CW_TRY(const Scalar typed, scalar_type(node, "true or false"));
  if (typed.type != Type::kBool) {
    return mismatch(node, "true or false");
  }
  return typed.boolean;
}

Result<int64_t> document_int(const DocumentNode& node) {
  CW_TRY(const Scalar typed, scalar_type(node, "a whole number"));
  if (typed.type != Type::kInt) {
    return mismatch(node, "a whole number");
  }
  return typed.integer;
}

Result<const std::vector<DocumentNode>*> document_list(const DocumentNode& node) {
  if (node.kind != DocumentNode::Kind::kList && node.kind != DocumentNode::Kind::kNull) {
    return mismatch(node, "a list");
  }
  return &node.items;
}

Result<value::Value> document_value(const DocumentNode& node, value::Numbers numbers) {
  switch (node.kind) {
    case DocumentNode::Kind::kNull:
      return value::Value::nil();
    case DocumentNode::Kind::kScalar:
      return scalar_value(node, numbers);
    case DocumentNode::Kind::kList:
      return list_value(node, numbers);
    case DocumentNode::Kind::kMap:
      break;
  }
  return map_value(node, numbers);
}

Result<MapReader> MapReader::open(const DocumentNode& node) {
  if (node.kind != DocumentNode::Kind::kMap) {
    return mismatch(node, "a map");
  }
  return MapReader(node);
}

const DocumentNode* MapReader::find(std::string_view key) {
  known_.push_back(key);
  const DocumentNode* member = node_->find(key);
  return member != nullptr && member->kind != DocumentNode::Kind::kNull ? member : nullptr;
}

Result<const DocumentNode*> MapReader::require(std::string_view key) {
  if (const DocumentNode* member = find(key)) {
    return member;
  }
  const std::string missing = "missing key \"" + std::string(key) + "\"";
  std::vector<std::string_view> unread;
  for (const DocumentEntry& entry : node_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key.text) == known_.end()) {
      unread.push_back(entry.key.text);
    }
  }
  const std::string_view misspelt = base::nearest(key, unread);
  if (misspelt.empty()) {
    return document_error(*node_, missing);
  }
  const auto at = std::find_if(node_->entries.begin(), node_->entries.end(),
                               [&](const DocumentEntry& one) { return one.key.text == misspelt; });
  return document_error(at->key, missing + ", is \"" + at->key.text + "\" a misspelling of it?");
}

Result<std::string> MapReader::text(std::string_view key) {
  const DocumentNode* member = find(key);
  return member != nullptr ? document_text(*member) : Result<std::string>(std::string());
}

Status MapReader::finish() const {
  for (const DocumentEntry& entry : node_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key.text) != known_.end()) {
      continue;
    }
    const std::string_view meant = base::nearest(entry.key.text, known_);
    const std::string suggestion =
        meant.empty() ? "" : ", did you mean \"" + std::string(meant) + "\"?";
    return document_error(entry.key, "unknown key \"" + entry.key.text + "\"" + suggestion);
  }
  return {};
}

}  // namespace chartwright::yaml
