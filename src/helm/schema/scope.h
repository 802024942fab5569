// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "helm/schema/graph.h"

// How validation came to where it is. Both chains live on the stack of the validators and are read
// only where a fault or a dynamic reference asks for it: most values have no fault.
namespace chartwright::helm {

/// A place inside the validated value. What `parent` and `token` refer to must outlive it.
struct InstancePlace {
  const InstancePlace* parent = nullptr;  ///< nullptr: the whole value, which has no token.
  std::variant<std::string_view, size_t> token = {};  ///< The name of a member, or an index.

  /// The JSON pointer to it.
  std::string pointer() const;
};

/// A schema that is being applied, and the ones that led to it.
struct SchemaScope {
  const SchemaNode* node;
  std::string_view keyword;  ///< The reference keyword of a jump; empty otherwise.
  int value_id;              ///< Scopes of the same value have the same id.
  int depth;
  const SchemaScope* parent;

  /// The scope further up that applies the same schema to the same value; nullptr when there is
  /// none.
  const SchemaScope* cycle() const;
  /// The keywords that lead here from the schema at the start of the chain, as a JSON pointer.
  std::string keyword_location() const;
  /// The target of a `$recursiveRef`: the outermost resource that may stand in for `fallback`.
  const SchemaNode* outermost_recursive(const SchemaNode* fallback) const;
  /// The target of a `$dynamicRef`: the anchor `name` of the outermost resource that has it.
  const SchemaNode* outermost_anchor(std::string_view name, const SchemaNode* fallback) const;
};

}  // namespace chartwright::helm
