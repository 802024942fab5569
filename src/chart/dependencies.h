// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "chart/chart.h"
#include "chart/coalesce.h"
#include "value/value.h"

namespace chartwright::chart {

/// Removes the dependencies that conditions and tags in `values` disable, renames aliased ones and
/// imports values from children into parents. Changes `chart`, which is the render's own copy.
/// Error: as coalesce_values.
/// Source: helm/helm v3 pkg/chartutil/dependencies.go ProcessDependenciesWithMerge.
base::Status process_dependencies(Chart& chart, const value::Value& values, const Profile& profile,
                                  Warnings& warnings);

/// Error: kNotFound naming the dependencies of Chart.yaml that charts/ does not hold.
/// Source: helm/helm v3 pkg/action/install.go CheckDependencies.
base::Status check_dependencies_present(const Chart& chart);

}  // namespace chartwright::chart
