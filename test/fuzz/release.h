// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/clock.h"

namespace chartwright::fuzz {

/// What chart_release has seen in this process so far.
struct ReleaseRecord {
  size_t inputs = 0;
  size_t loaded = 0;      ///< Inputs whose archive is a chart, and whose values are some.
  size_t rendered = 0;    ///< Those that render.
  size_t applied = 0;     ///< Those with objects, all of which are brought about.
  size_t exhausted = 0;   ///< Those whose render a budget ended.
  size_t heap_bytes = 0;  ///< The most that one stage of an input has held.
  base::Duration cpu{0};  ///< The longest that one stage of an input has taken.
};

const ReleaseRecord& release_record();

}  // namespace chartwright::fuzz
