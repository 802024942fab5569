// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/clock.h"

namespace chartwright::fuzz {

/// Counters of chart_release in this process.
struct ReleaseRecord {
  size_t inputs = 0;
  size_t loaded = 0;      ///< Inputs whose archive is a chart and whose values are valid.
  size_t rendered = 0;    ///< Inputs that render.
  size_t applied = 0;     ///< Inputs with objects, all of which were applied.
  size_t exhausted = 0;   ///< Inputs whose render exceeded a budget.
  size_t heap_bytes = 0;  ///< Peak of the heap in one stage.
  base::Duration cpu{0};  ///< Longest CPU time of one stage.
};

const ReleaseRecord& release_record();

}  // namespace chartwright::fuzz
