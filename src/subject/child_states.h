// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "resource/status_input.h"
#include "subject/subject.h"

namespace chartwright::op {

/// Returns the states of the recorded children, as the caches and our own writes show them, with
/// the causes that search_causes has found. Values of overrides are masked.
std::vector<ChildState> child_states(const Subject& subject);

}  // namespace chartwright::op
