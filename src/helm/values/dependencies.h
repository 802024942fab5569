// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/values/coalesce.h"
#include "value/value.h"

namespace chartwright::helm {

/// The render's own copy of `chart`: without the dependencies that conditions and tags in `values`
/// disable, aliased ones renamed, values imported from children into parents, full paths set.
/// Errors: as coalesce_values; kBudget when aliases multiply beyond measure.
/// Source: helm/helm v3 pkg/chartutil/dependencies.go ProcessDependenciesWithMerge.
base::Result<Chart> process_dependencies(const Chart& chart, const value::Value& values,
                                         const Profile& profile, Warnings& warnings);

/// Error: kNotFound naming the dependencies of Chart.yaml that charts/ does not hold.
/// Source: helm/helm v3 pkg/action/install.go CheckDependencies.
base::Status check_dependencies_present(const Chart& chart);

}  // namespace chartwright::helm
