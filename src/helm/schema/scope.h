// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "helm/schema/graph.h"

// The path that validation has taken to the current value and schema. Both chains live on the stack
// of the validators and are read only for a fault or a dynamic reference: most values have no
// fault.
namespace chartwright::helm {

/// A place inside the validated value. Does not own what `parent` and `token` refer to.
struct InstancePlace {
  const InstancePlace* parent = nullptr;  ///< nullptr for the whole value, which has no token.
  std::variant<std::string_view, size_t> token = {};  ///< A member's name, or an index.

  /// Returns the JSON pointer to this place.
  std::string pointer() const;
};

/// A schema that is being applied, with the chain of schemas that led to it.
struct SchemaScope {
  const SchemaNode* node;
  std::string_view keyword;  ///< The keyword of the reference followed; empty if none was.
  int value_id;              ///< Scopes of the same value have the same id.
  int depth;
  const SchemaScope* parent;

  /// Returns the enclosing scope that applies the same schema to the same value, or nullptr.
  const SchemaScope* cycle() const;
  /// Returns the keywords that lead here from the first schema of the chain, as a JSON pointer.
  std::string keyword_location() const;
  /// Returns the target of a `$recursiveRef`: the outermost schema in scope whose resource has a
  /// `$recursiveAnchor`, or `fallback`.
  const SchemaNode* outermost_recursive(const SchemaNode* fallback) const;
  /// Returns the target of a `$dynamicRef`: the dynamic anchor `name` of the outermost resource in
  /// scope that has one, or `fallback`.
  const SchemaNode* outermost_anchor(std::string_view name, const SchemaNode* fallback) const;
};

}  // namespace chartwright::helm
