// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/clock.h"
#include "bundle/watch.h"
#include "migration/finding.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Renders the custom resources of `samples` that are of the kind of a watch, or one with an empty
/// spec if there is none, as the watch has it and as the version of Helm in helm-operator, both
/// offline. Returns a finding for each: whether the manifests and hooks are the same. Reads the
/// chart. Needs the stack of a render.
std::vector<Finding> check_renders(const bundle::Watch& watch,
                                   const std::vector<value::Value>& samples, base::Clock& clock);

}  // namespace chartwright::cmd
