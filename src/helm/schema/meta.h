// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/schema/graph.h"
#include "helm/schema/resources.h"
#include "value/value.h"

// The schemas of schemas.
namespace chartwright::helm {

/// The meta-schema of a draft (4, 6, 7, 2019 or 2020) as JSON, without annotations.
std::string_view meta_schema_text(int draft);
/// The same, compiled on first use. Thread-safe; asserts formats in every draft.
const SchemaGraph& meta_schema(int draft, SchemaRelease release);

/// Whether the subschema at `pointer` of a document is one that the draft around it allows; where
/// a resource inside has a draft of its own, that one judges it. Errors: kSchema, "... is not valid
/// against metaschema: ...", kBudget.
/// Source: santhosh-tekuri/jsonschema v6 roots.go validate, validator.go handleMeta.
base::Status check_against_meta_schema(const value::Value& schema, const std::string& pointer,
                                       const SchemaResources& resources, SchemaRelease release);

}  // namespace chartwright::helm
