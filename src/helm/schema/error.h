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

/// One fault that validation found, or a group of them.
struct SchemaFault {
  enum class Form : uint8_t {
    kPlain,
    kGroup,      ///< Several faults of one value; melts into its parent.
    kReference,  ///< A $ref; not shown when it leads to one fault only.
  };
  std::string location;  ///< JSON pointer into the validated value.
  std::string text;
  Form form = Form::kPlain;
  std::vector<SchemaFault> causes;
  /// Members that are not allowed, each with the property that may have been meant, or "".
  std::vector<std::pair<std::string, std::string>> unknown = {};
};

/// All faults of `v`; none when it is valid. Where `v` is itself a schema, `resources` are its
/// subschemas with a draft of their own, and `graph` is a meta-schema. Error: kBudget when
/// validation would not end soon.
base::Result<std::vector<SchemaFault>> validate_schema(const SchemaGraph& graph,
                                                       const value::Value& v,
                                                       const SchemaResources* resources = nullptr);

/// The faults as an indented list: "- at '/a': got number, want string".
/// Source: santhosh-tekuri/jsonschema v6 output.go.
std::string render_faults(const std::vector<SchemaFault>& faults);

/// Each name with the property nearest to it, or "".
std::vector<std::pair<std::string, std::string>> with_near_names(
    const std::vector<std::string>& names,
    const std::map<std::string, const SchemaNode*, std::less<>>& properties);

// Pieces of fault texts. Source: santhosh-tekuri/jsonschema v6 kind/kind.go.
/// "'a', 'b'".
std::string quoted_names(const std::vector<std::string>& names);
/// A value inside a message; only scalars are shown.
std::string fault_value(const value::Value& v);
/// "KEYWORD: got N, want M".
std::string limit_fault(std::string_view keyword, int64_t got, int64_t want);
std::string limit_fault(std::string_view keyword, const value::Value& got,
                        const value::Value& want);
/// "0 2 5".
std::string index_list(const std::vector<size_t>& indexes);

}  // namespace chartwright::helm
