// SPDX-License-Identifier: Apache-2.0
#include "generate/json_schema.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "value/json.h"

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

}  // namespace chartwright::generate
