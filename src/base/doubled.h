// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace chartwright::base {

/// Returns `first`, doubled `times` times, at most `max`, however often that is. Pure.
inline Duration doubled(Duration first, int times, Duration max) {
  for (int i = 0; i < times && first < max; ++i) {
    first *= 2;  // Cannot overflow: the loop stops at the first value past the limit.
  }
  return std::min(first, max);
}

}  // namespace chartwright::base
