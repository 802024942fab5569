// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "coverage/chart_coverage.h"

namespace chartwright::coverage {

/// Returns a tracefile, as genhtml and services for coverage read it. Leaves out files that are not
/// on the disk, as `exists` says of their paths, since genhtml rejects a tracefile that names one,
/// and those whose path has a control character, which could not be told from a line of the file.
/// Source: lcov man/geninfo.1, "TRACEFILE FORMAT".
std::string lcov_text(const std::vector<ChartCoverage>& charts,
                      const std::function<bool(const std::string& path)>& exists);

}  // namespace chartwright::coverage
