// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "release/plan.h"

namespace chartwright::release {

/// The occasion of a plan.
enum class Occasion : uint8_t {
  kRollout,  ///< A revision comes into force: what it changes is applied.
  kRestore,  ///< The objects of the revision in force are set back to it.
};

/// Leaves children as others have changed or deleted them, where the policy for drift says so: that
/// of the custom resource, or else that of the child's rule. A change that nobody has looked at yet
/// is marked to be compared. Pure. `plan`: of make_plan, for the same input.
void hold_drift(const PlanInput& input, Occasion occasion, Plan& plan);

}  // namespace chartwright::release
