// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "helm/schema/graph.h"
#include "helm/schema/resources.h"
#include "value/value.h"

namespace chartwright::helm {

/// A fault that validation found, or a group of faults.
struct SchemaFault {
  enum class Form : uint8_t {
    kPlain,
    kGroup,      ///< Several faults of one value; merged into its parent.
    kReference,  ///< A $ref; not shown if it has only one cause.
  };
  std::string location;  ///< JSON pointer into the validated value.
  std::string text;
  Form form = Form::kPlain;
  std::vector<SchemaFault> causes;
  /// Members that are not allowed, each with the property probably meant, or "".
  std::vector<std::pair<std::string, std::string>> unknown = {};
};

/// Returns all faults of `v`; empty if it is valid. If `v` is itself a schema, `graph` is a
/// meta-schema and `resources` holds the subschemas of `v` that have a draft of their own. Error:
/// kBudget if validation takes too many steps, nests too deeply or finds too many faults.
base::Result<std::vector<SchemaFault>> validate_schema(const SchemaGraph& graph,
                                                       const value::Value& v,
                                                       const SchemaResources* resources = nullptr);

/// Formats the faults as an indented list: "- at '/a': got number, want string".
/// Source: santhosh-tekuri/jsonschema v6 output.go.
std::string render_faults(const std::vector<SchemaFault>& faults);

/// Pairs each name with the most similar property name, or "".
std::vector<std::pair<std::string, std::string>> with_near_names(
    const std::vector<std::string>& names,
    const std::map<std::string, const SchemaNode*, std::less<>>& properties);

// Parts of fault messages. Source: santhosh-tekuri/jsonschema v6 kind/kind.go.
/// Formats names as "'a', 'b'".
std::string quoted_names(const std::vector<std::string>& names);
/// Formats a value for a message; only scalars are shown.
std::string fault_value(const value::Value& v);
/// Formats "KEYWORD: got N, want M".
std::string limit_fault(std::string_view keyword, int64_t got, int64_t want);
std::string limit_fault(std::string_view keyword, const value::Value& got,
                        const value::Value& want);
/// Formats indexes as "0 2 5".
std::string index_list(const std::vector<size_t>& indexes);

}  // namespace chartwright::helm
