// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "generate/json_schema.h"
#include "generate/yaml_text.h"
#include "value/value.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// A schema that has a choice: anyOf, oneOf or not.
struct ChoiceContext {
  const WrittenSchema& document;
  const yaml::DocumentNode& table;  ///< The one around the choice.
  const value::Value* usual;        ///< The value in values.yaml; nullptr: none.
};

/// Returns the choice at `key` of a JSON schema as a structural schema may have it: rules about
/// values, without types, defaults and descriptions, for fields that are specified outside.
/// Returns nullopt where the result would accept or refuse other specs than Helm: for a type that
/// differs from the one outside, a field that is not specified there, one with a value in
/// values.yaml (it is there although the spec lacks it), and other keywords.
/// Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema (NestedValueValidation).
std::optional<Yaml> choice_of(const ChoiceContext& context, std::string_view key);

}  // namespace chartwright::generate
