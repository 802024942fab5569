// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "value/value.h"

namespace chartwright::scenario {

/// Returns the status that the controllers of a cluster give an object of a built-in kind once it
/// is ready; nullopt for kinds whose readiness is not in their status, or not known.
std::optional<value::Value> ready_status(const value::Value& object);

}  // namespace chartwright::scenario
