// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/render/inputs.h"

namespace chartwright::helm {

/// Resolves dependencies, merges values and validates them. Errors: kInvalidArgument (values that
/// cannot be merged), kSchema ("values don't meet the specifications of the schema(s) ..."),
/// kBudget. Source: helm/helm v3 pkg/chartutil ProcessDependenciesWithMerge, ToRenderValues.
base::Result<Prepared> prepare(const Bundle& bundle, const RenderInputs& inputs);

/// What prepare says of the values and the schemas, for values that were prepared without. Errors:
/// kSchema, kBudget.
base::Status check_schemas(const Bundle& bundle, const Prepared& prepared,
                           const RenderInputs& inputs);

}  // namespace chartwright::helm
