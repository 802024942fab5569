// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "coverage/chart_coverage.h"

namespace chartwright::coverage {

/// Returns a page without scripts that needs no other file: a table of the templates, and the
/// source of each, in which lines that never ran and sides of branches that were never taken are
/// marked. Charts are not trusted: none of their texts is markup in it, or changes the order in
/// which the page is read.
std::string html_text(const std::vector<ChartCoverage>& charts);

}  // namespace chartwright::coverage
