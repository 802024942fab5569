// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "funcs/semver.h"

namespace chartwright::chart {

/// Whether `version` satisfies `constraint`; false also when either is malformed.
/// Source: helm/helm v3 pkg/chartutil/compatible.go.
bool is_compatible(std::string_view constraint, std::string_view version,
                   funcs::SemverRelease release);

}  // namespace chartwright::chart
