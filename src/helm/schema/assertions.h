// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helm/schema/graph.h"
#include "value/value.h"

// The keywords that check a value by itself, without a subschema. Faults are described in the words
// of the Go library. Source: santhosh-tekuri/jsonschema v6 validator.go, kind/kind.go.
namespace chartwright::helm {

/// Returns the fault of `type`, `const`, `enum` or `format`, which ends the validation of a value.
/// Adds the cost of comparisons to `steps`.
std::optional<std::string> value_fault(const SchemaNode& node, const value::Value& v,
                                       int64_t& steps);

/// Returns the faults of the limits for the value's type, and of `required`.
std::vector<std::string> limit_faults(const SchemaNode& node, const value::Value& v);

/// Returns the fault of `dependentRequired`: `v` has the member `name`, but not all of `names`.
std::optional<std::string> missing_beside(const std::string& name,
                                          const std::vector<std::string>& names,
                                          const value::Value& v);

}  // namespace chartwright::helm
