// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// Keywords of structural schemas beside those of JSON Schema.
inline constexpr std::string_view kPreserveUnknown = "x-kubernetes-preserve-unknown-fields";
inline constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
inline constexpr std::string_view kValidations = "x-kubernetes-validations";

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

/// Returns the text of the member `key`; "" if there is none. It lives as long as `node`.
inline std::string_view text_at(const yaml::DocumentNode& node, std::string_view key) {
  const yaml::DocumentNode* member = node.find(key);
  return member != nullptr ? std::string_view(member->text) : std::string_view();
}

/// Checks that Helm accepts a schema, which `root` is made of; references to other documents are
/// not followed. Errors: kParse for malformed JSON; kSchema, with file:line:column, where it does
/// not match its meta-schema.
base::Status check_schema(std::string_view json, const yaml::DocumentNode& root);

/// Returns the value of a node; nil if it has none.
value::Value value_of(const yaml::DocumentNode& node);

}  // namespace chartwright::generate
