// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "resource/cr_state.h"
#include "resource/status_input.h"
#include "value/value.h"

namespace chartwright::op {

/// Returns the whole status that we own, for server-side apply: the engine's fields, conditions
/// (those of kstatus and helm-operator), and the author's fields with `conditions` merged in by
/// type. Conditions whose status did not change keep the times of `input.previous`, so that the
/// same state gives the same status. Pure.
value::Value build_status(const CrState& state, const StatusInput& input);

/// Returns `previous`, a status or nil, with the condition Paused and that message. Everything else
/// stays, its observedGeneration, too: what the spec asks for meanwhile was not looked at. Pure.
value::Value paused_status(const value::Value& previous, std::string message, int64_t generation,
                           base::WallTime now);

/// Returns `status` with the condition StatusPruned, and without the members that
/// `state.stored.dropped` names. Pure.
value::Value pruned_status(const value::Value& status, const CrState& state, int64_t generation,
                           base::WallTime now);

/// Reports whether writing `wanted` would change `current`, the live status. A condition that only
/// `current` has counts if it is of the engine's types.
bool status_differs(const value::Value& current, const value::Value& wanted);

}  // namespace chartwright::op
