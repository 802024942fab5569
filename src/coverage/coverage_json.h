// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "coverage/chart_coverage.h"
#include "value/value.h"

namespace chartwright::coverage {

/// Returns a list with an item for each chart, as docs/author/test.md describes it. Pure.
value::Value coverage_value(std::span<const ChartCoverage> charts);

}  // namespace chartwright::coverage
