// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "base/clock.h"

namespace chartwright::runtime {

/// Blocks the calling thread for `duration` on `clock`, or until `stop` is requested.
void pause(base::Clock& clock, base::Duration duration, const std::stop_token& stop);

}  // namespace chartwright::runtime
