// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/schema/graph.h"
#include "helm/schema/resources.h"
#include "value/value.h"

// The meta-schemas: the schemas that schemas must match.
namespace chartwright::helm {

/// Returns the meta-schema of a draft (4, 6, 7, 2019 or 2020) as JSON, without annotations.
std::string_view meta_schema_text(int draft);
/// Returns the compiled meta-schema of a draft, which asserts formats in every draft. Compiles it
/// on first use. Thread-safe.
const SchemaGraph& meta_schema(int draft, SchemaRelease release);

/// Checks `schema`, the subschema at `pointer` of its document, against the meta-schema of its
/// draft. Embedded resources with a draft of their own are checked against that one. Errors:
/// kSchema "... is not valid against metaschema: ...", with causes whose fields are JSON pointers
/// into the document; kBudget. Source: santhosh-tekuri/jsonschema v6 roots.go validate,
/// validator.go handleMeta.
base::Status check_against_meta_schema(const value::Value& schema, const std::string& pointer,
                                       const SchemaResources& resources, SchemaRelease release);

}  // namespace chartwright::helm
