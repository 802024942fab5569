// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "helm/lint/ci_values.h"
#include "helm/lint/message.h"
#include "helm/schema/schema.h"

namespace chartwright::helm::lint {

/// Returns the faults that `schema` finds in `values`. Each has its place in the first of `files`
/// that contains the member, or else the place of the nearest enclosing member. Never contains a
/// value.
Messages find_schema_faults(const helm::Schema& schema, const value::Value& values,
                            const std::vector<CiValues>& files);

}  // namespace chartwright::helm::lint
