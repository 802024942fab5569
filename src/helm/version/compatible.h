// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "helm/version/semver.h"

namespace chartwright::helm {

/// Reports whether `version` satisfies `constraint`; false if either is malformed. The cache keeps
/// the constraint for later renders of the chart that has it.
/// Source: helm/helm v3 pkg/chartutil/compatible.go.
bool is_compatible(std::string_view constraint, std::string_view version, SemverRelease release,
                   ConstraintsCache& cache);

}  // namespace chartwright::helm
