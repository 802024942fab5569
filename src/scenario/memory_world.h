// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "scenario/world.h"

namespace chartwright::scenario {

/// Plays something on a world in memory that serves `kinds`: its API server, the controllers of
/// owners and Jobs, and the operator with all its threads run here, one at a time, in virtual time.
/// The same play gives the same result. The calling thread must hold no lock, and no other thread
/// may hold one that it shares with the operator. Error: that of `play`.
base::Status play_in_memory(const std::vector<kube::ResourceMapping>& kinds,
                            const std::function<base::Status(World&)>& play);

}  // namespace chartwright::scenario
