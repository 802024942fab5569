// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resource/condition_list.h"
#include "resource/cr_state.h"
#include "resource/status_input.h"

namespace chartwright::op {

/// Sets the conditions of the engine: helm-operator's four, those of kstatus, and those that are
/// there only where they have something to say. Pure.
void set_engine_conditions(const CrState& state, const StatusInput& input, Conditions& conditions);

/// Sets the condition that the schema of the CRD lacks fields of the status, `stored.dropped`.
void set_pruned(const CrState& state, Conditions& conditions);

/// Reports whether a revision was deployed: not so where the only one is one whose hooks have
/// failed.
bool has_deployed(const CrState& state);

}  // namespace chartwright::op
