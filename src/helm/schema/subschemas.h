// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helm/schema/reference.h"
#include "value/json_pointer.h"
#include "value/value.h"

// Where a written schema has subschemas, and the names by which they can be referred to. The tree
// that it is written in may be any for which there is a SchemaTree.
namespace chartwright::helm {

/// Reads the nodes of a tree. A node has a `find` of its own, which returns a member or nullptr.
template <typename Node>
struct SchemaTree;

template <>
struct SchemaTree<value::Value> {
  using Node = value::Value;

  static bool is_map(const Node& node) { return node.is_dict(); }
  static bool is_list(const Node& node) { return node.is_list(); }
  /// Returns the items of a list; none for others.
  static std::span<const Node> items(const Node& node) {
    return node.is_list() ? std::span<const Node>(node.as_list().items) : std::span<const Node>();
  }
  /// Calls `visit(name, member)` for each member of a map.
  template <typename Visit>
  static void for_each_member(const Node& node, Visit visit) {
    if (node.is_dict()) {
      for (const auto& [name, member] : node.as_dict()) {
        visit(std::string_view(name), member);
      }
    }
  }
  /// Returns the text of a string; nullopt for others.
  static std::optional<std::string_view> text(const Node& node) {
    return node.is_string() ? std::optional<std::string_view>(node.as_string()) : std::nullopt;
  }
  static std::optional<bool> boolean(const Node& node) {
    return node.is_bool() ? std::optional(node.as_bool()) : std::nullopt;
  }
  static value::Value value(const Node& node) { return node; }
};

/// The number of schemas that a keyword has: one, or a list or map of them.
enum class SubschemaForm : uint8_t { kOne, kEach };

/// When a subschema is in force for a value for which the schema around it is.
enum class SubschemaForce : uint8_t {
  kOther,    ///< It is for another value, or in force where a reference leads to it.
  kAlways,   ///< Always.
  kDepends,  ///< For some values.
};

/// A keyword that has subschemas, with the draft that introduced it.
struct SubschemaKeyword {
  std::string_view name;
  SubschemaForm form;
  int since;
  SubschemaForce force = SubschemaForce::kOther;
};

inline constexpr std::array<SubschemaKeyword, 23> kSubschemaKeywords = {{
    {"definitions", SubschemaForm::kEach, 4},
    {"allOf", SubschemaForm::kEach, 4, SubschemaForce::kAlways},
    {"anyOf", SubschemaForm::kEach, 4, SubschemaForce::kDepends},
    {"oneOf", SubschemaForm::kEach, 4, SubschemaForce::kDepends},
    {"not", SubschemaForm::kOne, 4, SubschemaForce::kDepends},
    {"if", SubschemaForm::kOne, 7, SubschemaForce::kDepends},
    {"then", SubschemaForm::kOne, 7, SubschemaForce::kDepends},
    {"else", SubschemaForm::kOne, 7, SubschemaForce::kDepends},
    {"dependentSchemas", SubschemaForm::kEach, 2019, SubschemaForce::kDepends},
    {"dependencies", SubschemaForm::kEach, 4, SubschemaForce::kDepends},
    {"properties", SubschemaForm::kEach, 4},
    {"additionalProperties", SubschemaForm::kOne, 4},
    {"patternProperties", SubschemaForm::kEach, 4},
    {"items", SubschemaForm::kOne, 4},
    {"items", SubschemaForm::kEach, 4},
    {"additionalItems", SubschemaForm::kOne, 4},
    {"propertyNames", SubschemaForm::kOne, 6},
    {"contains", SubschemaForm::kOne, 6},
    {"$defs", SubschemaForm::kEach, 2019},
    {"unevaluatedProperties", SubschemaForm::kOne, 2019},
    {"unevaluatedItems", SubschemaForm::kOne, 2019},
    {"contentSchema", SubschemaForm::kOne, 2019},
    {"prefixItems", SubschemaForm::kEach, 2020},
}};

/// Calls `visit(subschema, keyword, pointer)` for each schema directly below `schema` that the
/// draft defines; the pointer leads there from `schema`. A list in `dependencies` is visited, too.
template <typename Node, typename Visit>
void for_each_subschema(const Node& schema, int draft, Visit visit) {
  using Tree = SchemaTree<Node>;
  for (const SubschemaKeyword& keyword : kSubschemaKeywords) {
    const Node* found = keyword.since <= draft ? schema.find(keyword.name) : nullptr;
    if (found == nullptr) {
      continue;
    }
    const std::string at = "/" + std::string(keyword.name);
    if (keyword.form == SubschemaForm::kOne) {
      if (Tree::is_map(*found) || Tree::boolean(*found)) {
        visit(*found, keyword, at);
      }
    } else if (keyword.name == "items" || Tree::is_list(*found)) {
      size_t index = 0;
      for (const Node& item : Tree::items(*found)) {
        visit(item, keyword, at + "/" + std::to_string(index++));
      }
    } else {
      Tree::for_each_member(*found, [&](std::string_view name, const Node& member) {
        visit(member, keyword, at + "/" + value::escape_pointer_token(name));
      });
    }
  }
}

/// Returns the text of the member `key`; nullopt if there is none, or it has another type.
template <typename Node>
std::optional<std::string_view> schema_text(const Node& schema, std::string_view key) {
  const Node* found = schema.find(key);
  return found != nullptr ? SchemaTree<Node>::text(*found) : std::nullopt;
}

/// Reports whether the keywords beside the reference of `schema` do not count: before draft
/// 2019-09, a reference replaces them.
template <typename Node>
bool is_only_reference(const Node& schema, int draft) {
  return draft < 2019 && schema.find("$ref") != nullptr;
}

/// The identifier of a schema without its fragment, "" if it has none, and the draft that it
/// follows.
struct SchemaIdentity {
  std::string id;
  int draft;
};

/// Returns the identity of a schema in another one of the draft `around`; nullopt: it is the
/// document, and a "$schema" counts without an identifier, too.
template <typename Node>
SchemaIdentity identity_of(const Node& schema, std::optional<int> around) {
  const auto id_in = [&schema](int draft) {
    return is_only_reference(schema, draft)
               ? ""
               : split_fragment(schema_text(schema, draft == 4 ? "id" : "$id").value_or("")).url;
  };
  constexpr int kLatest = 2020;
  const auto url = schema_text(schema, "$schema");
  const int draft = (url ? draft_of(*url) : std::nullopt).value_or(around.value_or(kLatest));
  std::string id = id_in(draft);
  if (!id.empty() || !around) {
    return {std::move(id), draft};
  }
  return {id_in(*around), *around};
}

/// Returns the plain names of `schema`, by which references can lead to it.
template <typename Node>
std::vector<std::string> anchors_of(const Node& schema, int draft) {
  std::vector<std::string> anchors;
  if (draft < 2019 && !is_only_reference(schema, draft)) {
    std::string fragment =
        split_fragment(schema_text(schema, draft == 4 ? "id" : "$id").value_or("")).fragment;
    if (!fragment.empty() && fragment.front() != '/') {
      anchors.push_back(std::move(fragment));
    }
  }
  if (const auto anchor = draft >= 2019 ? schema_text(schema, "$anchor") : std::nullopt) {
    anchors.emplace_back(*anchor);
  }
  if (const auto anchor = draft >= 2020 ? schema_text(schema, "$dynamicAnchor") : std::nullopt) {
    anchors.emplace_back(*anchor);
  }
  return anchors;
}

}  // namespace chartwright::helm
