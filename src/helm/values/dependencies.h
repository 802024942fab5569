// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/values/coalesce.h"
#include "value/value.h"

namespace chartwright::helm {

/// Returns a copy of `chart` for one render: dependencies disabled by conditions and tags in
/// `values` are removed, aliased ones renamed, values imported from children into parents, and full
/// paths set. Their version constraints are kept in `constraints`. Errors: as coalesce_values;
/// kBudget if aliases exceed the limits of ChartGraph. Source: helm/helm v3
/// pkg/chartutil/dependencies.go ProcessDependenciesWithMerge.
base::Result<Chart> process_dependencies(const Chart& chart, const value::Value& values,
                                         const Profile& profile, ConstraintsCache& constraints,
                                         Warnings& warnings);

/// Checks that charts/ contains all dependencies of Chart.yaml. Error: kNotFound with the names of
/// those missing.
/// Source: helm/helm v3 pkg/action/install.go CheckDependencies.
base::Status check_dependencies_present(const Chart& chart);

}  // namespace chartwright::helm
