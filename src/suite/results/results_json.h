// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "suite/results/suite_result.h"
#include "value/value.h"

namespace chartwright::suite {

/// Returns the results of a run in the form that docs/author/test.md describes. Pure.
value::Value results_value(const RunResults& results);

}  // namespace chartwright::suite
