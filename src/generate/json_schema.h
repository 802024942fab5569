// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/schema/subschemas.h"
#include "helm/schema/view.h"
#include "value/value.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// Returns the value of a node; nil if it has none.
inline value::Value value_of(const yaml::DocumentNode& node) {
  return yaml::document_value(node, value::Numbers::kInt64).value_or(value::Value());
}

}  // namespace chartwright::generate

namespace chartwright::helm {

/// Reads JSON that the reader of YAML has read: only strings are quoted.
template <>
struct SchemaTree<yaml::DocumentNode> {
  using Node = yaml::DocumentNode;

  static bool is_map(const Node& node) { return node.kind == Node::Kind::kMap; }
  static bool is_list(const Node& node) { return node.kind == Node::Kind::kList; }
  static std::span<const Node> items(const Node& node) { return node.items; }
  template <typename Visit>
  static void for_each_member(const Node& node, Visit visit) {
    for (const yaml::DocumentEntry& entry : node.entries) {
      visit(std::string_view(entry.key.text), entry.value);
    }
  }
  static std::optional<std::string_view> text(const Node& node) {
    const bool is_text = node.kind == Node::Kind::kScalar && !node.plain;
    return is_text ? std::optional<std::string_view>(node.text) : std::nullopt;
  }
  static std::optional<bool> boolean(const Node& node) {
    const bool is_bool = node.plain && (node.text == "true" || node.text == "false");
    return is_bool ? std::optional(node.text == "true") : std::nullopt;
  }
  static value::Value value(const Node& node) { return generate::value_of(node); }
};

}  // namespace chartwright::helm

namespace chartwright::generate {

/// Keywords of structural schemas beside those of JSON Schema.
inline constexpr std::string_view kPreserveUnknown = "x-kubernetes-preserve-unknown-fields";
inline constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
inline constexpr std::string_view kValidations = "x-kubernetes-validations";

/// A JSON schema in a file, whose positions and order are known.
using WrittenSchema = helm::SchemaView<yaml::DocumentNode>;

/// The types of a field, sorted, without "null".
struct FieldTypes {
  std::vector<std::string> names;
  bool nullable = false;
};

/// Returns the types that a field of a CRD has for a table of `document`, also where only its other
/// keywords tell.
FieldTypes types_of(const WrittenSchema& document, const yaml::DocumentNode& table);

/// Returns the text of the member `key`; "" if there is none. It lives as long as `node`.
inline std::string_view text_at(const yaml::DocumentNode& node, std::string_view key) {
  const yaml::DocumentNode* member = node.find(key);
  return member != nullptr ? std::string_view(member->text) : std::string_view();
}

/// Reports whether a table must have a field.
inline bool requires_field(const yaml::DocumentNode& table, std::string_view field) {
  const yaml::DocumentNode* required = table.find("required");
  return required != nullptr &&
         std::ranges::any_of(required->items,
                             [field](const yaml::DocumentNode& one) { return one.text == field; });
}

/// Checks that Helm accepts a schema, which `root` is made of; references to other documents are
/// not followed. Errors: kParse for malformed JSON; kSchema, with file:line:column, where it does
/// not match its meta-schema.
base::Status check_schema(std::string_view json, const yaml::DocumentNode& root);

}  // namespace chartwright::generate
