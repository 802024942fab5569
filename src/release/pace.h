// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "release/plan.h"

namespace chartwright::release {

/// Holds back steps of `plan`, which was made from `input`, so that no rule has more objects in
/// flight than its pace allows, and sets the motion that each step records. Objects in flight come
/// first, then predecessors whose successor has settled, then creations and changes in the order of
/// the plan. Deletions come last, and wait only for each other. Repairs of drift do not wait. Pure.
void hold_to_pace(const PlanInput& input, const std::vector<ChildRule>& rules, Plan& plan);

}  // namespace chartwright::release
