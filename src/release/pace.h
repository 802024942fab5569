// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "release/plan.h"

namespace chartwright::release {

/// Holds back steps of `plan`, which was made of `input`, so that of each rule with a pace no more
/// objects are in flight than it allows, and says in each step what is to be recorded of its
/// motion. Objects in flight come first, then predecessors whose successor has settled, creations
/// and changes in the order of the plan, and deletions, which wait only for each other. Repairs of
/// drift do not wait. Pure.
void hold_to_pace(const PlanInput& input, const std::vector<ChildRule>& rules, Plan& plan);

}  // namespace chartwright::release
