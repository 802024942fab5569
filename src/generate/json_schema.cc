// SPDX-License-Identifier: Apache-2.0
#include "generate/json_schema.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "helm/schema/schema.h"
#include "value/json.h"
#include "value/json_pointer.h"

namespace chartwright::generate {
namespace {

constexpr int kReferencesMax = 16;

/// Returns the types of values, if a field of a CRD can have them.
SchemaTypes types_of_values(const std::vector<yaml::DocumentNode>& values) {
  SchemaTypes types;
  std::set<std::string_view> names;
  for (const yaml::DocumentNode& node : values) {
    const value::Value value = value_of(node);
    types.nullable = types.nullable || value.is_nil();
    if (!value.is_nil()) {
      names.insert(value::schema_type(value));
    }
  }
  if (names.contains("number")) {
    names.erase("integer");
  }
  const bool are_scalars = !names.contains("array") && !names.contains("object");
  if (are_scalars) {
    types.names.assign(names.begin(), names.end());
  }
  return types;
}

/// Returns the part of a document at a JSON pointer, or the last one on the way that exists.
const yaml::DocumentNode& node_at(const yaml::DocumentNode& root, std::string_view pointer) {
  const yaml::DocumentNode* node = &root;
  for (const std::string_view token : base::split(pointer, '/')) {
    const auto index = base::parse_int(token);
    const auto name = value::unescape_pointer_token(token);
    if (node->kind == yaml::DocumentNode::Kind::kMap && name && node->find(*name) != nullptr) {
      node = node->find(*name);
    } else if (node->kind == yaml::DocumentNode::Kind::kList && index && *index >= 0 &&
               *index < static_cast<int64_t>(node->items.size())) {
      node = &node->items[static_cast<size_t>(*index)];
    }
  }
  return *node;
}

}  // namespace

using value::Value;
using yaml::DocumentNode;

SchemaTypes types_of(const DocumentNode& schema) {
  SchemaTypes types;
  const auto add = [&types](const std::string& name) {
    if (name == "null") {
      types.nullable = true;
    } else {
      types.names.push_back(name);
    }
  };
  if (const DocumentNode* type = schema.find("type")) {
    if (type->kind == DocumentNode::Kind::kScalar) {
      add(type->text);
    }
    for (const DocumentNode& item : type->items) {
      add(item.text);
    }
  } else if (schema.find("properties") != nullptr ||
             schema.find("additionalProperties") != nullptr) {
    types.names = {"object"};
  } else if (schema.find("items") != nullptr) {
    types.names = {"array"};
  } else {
    const DocumentNode* allowed = schema.find("enum");
    const DocumentNode* constant = schema.find("const");
    std::vector<DocumentNode> values =
        allowed != nullptr ? allowed->items : std::vector<DocumentNode>();
    if (constant != nullptr) {
      values = {*constant};
    }
    types = types_of_values(values);
  }
  std::sort(types.names.begin(), types.names.end());
  return types;
}

const DocumentNode* resolved(const DocumentNode& schema, const DocumentNode& root) {
  const DocumentNode* at = &schema;
  for (int i = 0; i < kReferencesMax && at != nullptr; ++i) {
    const DocumentNode* reference = at->find("$ref");
    if (reference == nullptr) {
      return at;
    }
    at = &root;
    if (reference->text == "#") {
      continue;
    }
    if (!reference->text.starts_with("#/")) {
      return nullptr;
    }
    const std::string_view pointer = std::string_view(reference->text).substr(2);
    for (std::string_view step : base::split(pointer, '/')) {
      const std::string key = base::replace_all(base::replace_all(step, "~1", "/"), "~0", "~");
      at = at != nullptr ? at->find(key) : nullptr;
    }
  }
  return nullptr;
}

Value value_of(const DocumentNode& node) {
  return yaml::document_value(node, value::Numbers::kInt64).value_or(Value());
}

base::Status check_schema(std::string_view json, const yaml::DocumentNode& root) {
  const auto compiled = helm::Schema::compile(json);
  if (compiled.ok()) {
    return {};
  }
  const base::Error& error = compiled.error();
  if (error.code() == base::ErrorCode::kParse) {
    return base::Error(error.code(), "a schema must be JSON: " + error.message())
        .at({root.pos.file, 1, 1});
  }
  if (error.causes().empty()) {
    return {};  // It refers elsewhere, or is too large.
  }
  const base::SourcePos& first = node_at(root, error.causes().front().field).pos;
  std::string text = "not a JSON schema";
  for (const base::ErrorCause& cause : error.causes()) {
    const bool is_first = &cause == &error.causes().front();
    text += is_first ? ": " : "\n" + node_at(root, cause.field).pos.to_string() + ": ";
    text += "at '" + cause.field + "': " + cause.message;
  }
  return base::Error(base::ErrorCode::kSchema, std::move(text)).at(first);
}

}  // namespace chartwright::generate
