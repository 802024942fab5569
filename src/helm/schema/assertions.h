// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helm/schema/graph.h"
#include "value/value.h"

// The keywords that ask something of a value by itself, without another schema: what is wrong with
// it, in the words of the library. Source: santhosh-tekuri/jsonschema v6 validator.go,
// kind/kind.go.
namespace chartwright::helm {

/// By type, const, enum and format, whose fault ends the validation of a value. Adds to `steps`
/// what comparing takes.
std::optional<std::string> value_fault(const SchemaNode& node, const value::Value& v,
                                       int64_t& steps);

/// By the limits of the type that the value has, and by `required`.
std::vector<std::string> limit_faults(const SchemaNode& node, const value::Value& v);

/// By `dependentRequired`: `v` has the member `name` and must have `names`, too.
std::optional<std::string> missing_beside(const std::string& name,
                                          const std::vector<std::string>& names,
                                          const value::Value& v);

}  // namespace chartwright::helm
