// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bundle/watch.h"
#include "generate/access.h"

namespace chartwright::generate {

/// Returns a warning for each name of a kind (plural, singular, short) that another kind of the
/// same group has: the API server would never serve the second one.
std::vector<AccessNote> name_clashes(const std::vector<bundle::Watch>& watches);

}  // namespace chartwright::generate
