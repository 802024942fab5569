// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value/value.h"

namespace chartwright::cmd {

/// Reports whether a live Deployment runs an operator of Chartwright or helm-operator, as far as it
/// shows: by the command or image of a container, or by what `chartwright generate manifests`
/// writes, whatever a project calls its image. `deployment` may have any content.
bool is_operator(const value::Value& deployment);

}  // namespace chartwright::cmd
