// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "value/value.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// The types that a schema names, sorted, without "null".
struct SchemaTypes {
  std::vector<std::string> names;
  bool nullable = false;
};

/// Returns the types of a JSON schema, also where only its other keywords tell.
SchemaTypes types_of(const yaml::DocumentNode& schema);

/// Returns what `schema`, a part of the document `root`, stands for: follows "$ref". Returns
/// nullptr if a reference leads elsewhere, or through many others.
const yaml::DocumentNode* resolved(const yaml::DocumentNode& schema,
                                   const yaml::DocumentNode& root);

/// Returns the value of a node; nil if it has none.
value::Value value_of(const yaml::DocumentNode& node);

}  // namespace chartwright::generate
