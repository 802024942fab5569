// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "helm/render/renderable_chart.h"
#include "value/value.h"

namespace chartwright::external {

/// Returns what the templates of a chart see beside Helm's data, for a render without a server
/// (`RenderInputs::extra`): `.External`, with an id such as "zone-id" for the external "zone",
/// since the operator renders a chart only when the ids are known. nil for a chart without
/// externals, and for one whose files of them have mistakes.
value::Value offline_scope(const std::shared_ptr<const helm::RenderableChart>& chart);

}  // namespace chartwright::external
