// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/render/inputs.h"

namespace chartwright::helm {

/// Resolves dependencies, merges values and validates them. Errors: kInvalidArgument (values that
/// cannot be merged), kSchema ("values don't meet the specifications of the schema(s) ..."),
/// kBudget. Source: helm/helm v3 pkg/chartutil ProcessDependenciesWithMerge, ToRenderValues.
base::Result<PreparedChart> prepare(const RenderableChart& loaded, const RenderInputs& inputs);

/// Validates prepared values against the schemas as prepare does, for values that were prepared
/// without that check. Errors: kSchema, kBudget.
base::Status check_schemas(const RenderableChart& loaded, const PreparedChart& prepared,
                           const RenderInputs& inputs);

}  // namespace chartwright::helm
