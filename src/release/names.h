// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "release/plan.h"

namespace chartwright::release {

/// Returns the live name number `serial` of the slot that `ref` names: `prefix`, shortened so that
/// the name fits a label, and five characters that differ from owner to owner, slot to slot and
/// number to number.
std::string live_name(std::string_view prefix, const Owner& owner, const kube::ObjectRef& ref,
                      int serial);

/// Gives each desired object that has a slot its live name: that of the slot's occupant if it is to
/// stay, otherwise the next one, so that a replacement need not wait until its predecessor is gone.
/// The names follow from the inventory and the live objects alone; those of `around.desired` are
/// not read. Pure.
std::vector<Desired> with_live_names(std::vector<Desired> desired, const PlanInput& around);

}  // namespace chartwright::release
