// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scenario/scenario.h"
#include "scenario/world.h"
#include "suite/results/suite_result.h"

namespace chartwright::scenario {

/// Plays a scenario on a world that has none of its objects yet, and checks what it expects. A step
/// that cannot be carried out is the error of the result, and ends it.
suite::JobResult play(const Scenario& scenario, World& world);

/// Plays it on a world in memory of its own: see play_in_memory.
suite::JobResult run_in_memory(const Scenario& scenario);

}  // namespace chartwright::scenario
