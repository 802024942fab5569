// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "chart/schema.h"
#include "lint/ci_values.h"
#include "lint/message.h"

namespace chartwright::lint {

/// What `schema` finds wrong with `values`, each at its place in the first of `files` that holds
/// it, or else at the place around it. Never tells a value.
Messages find_schema_faults(const chart::Schema& schema, const value::Value& values,
                            const std::vector<CiValues>& files);

}  // namespace chartwright::lint
