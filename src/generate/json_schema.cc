// SPDX-License-Identifier: Apache-2.0
#include "generate/json_schema.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "helm/schema/schema.h"

namespace chartwright::generate {
namespace {

/// Returns the part of a document at a JSON pointer, or the last one on the way that exists.
const yaml::DocumentNode& node_at(const yaml::DocumentNode& root, std::string_view pointer) {
  const yaml::DocumentNode* node = &root;
  for (const std::string_view token : base::split(pointer, '/')) {
    const yaml::DocumentNode* next = WrittenSchema::step(*node, token);
    node = next != nullptr ? next : node;
  }
  return *node;
}

}  // namespace

FieldTypes types_of(const WrittenSchema& document, const yaml::DocumentNode& table) {
  const auto has = [&table](std::string_view key) { return table.find(key) != nullptr; };
  if (!has("type") && (has("properties") || has("additionalProperties"))) {
    return {{"object"}};
  }
  if (!has("type") && has("items")) {
    return {{"array"}};
  }
  FieldTypes types;
  for (const std::string_view name : document.types(table)) {
    if (name == "null") {
      types.nullable = true;
    } else {
      types.names.emplace_back(name);
    }
  }
  // A CRD cannot list tables or lists.
  if (!has("type") && std::ranges::any_of(types.names, [](const std::string& name) {
        return name == "array" || name == "object";
      })) {
    types.names.clear();
  }
  std::ranges::sort(types.names);
  return types;
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
