// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bundle/schema_place.h"
#include "value/value.h"

namespace chartwright::bundle {

/// Compares a structural schema, as CRDs have it, with the schema that the same data must meet
/// later. Returns a sentence for each field of which this is certain: the first one accepts, or
/// fills in, a value that the second one refuses. Those are types, values of an enumeration,
/// defaults, and keys that the second one does not allow. `path` is that of the data, such as
/// "spec"; `name` is that of the second schema in sentences.
std::vector<std::string> schema_conflicts(const value::Value& structural, const SchemaPlace& later,
                                          const std::string& path, const std::string& name);

}  // namespace chartwright::bundle
