// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "helm/lint/ci_values.h"
#include "helm/lint/message.h"
#include "helm/schema/schema.h"

namespace chartwright::helm::lint {

/// What `schema` finds wrong with `values`, each at its place in the first of `files` that holds
/// it, or else at the place around it. Never tells a value.
Messages find_schema_faults(const helm::Schema& schema, const value::Value& values,
                            const std::vector<CiValues>& files);

}  // namespace chartwright::helm::lint
