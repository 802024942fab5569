// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "helm/render/renderable_chart.h"
#include "value/value.h"

namespace chartwright::defaults {

/// Returns the values that a chart has before any are given: those of its values.yaml over those of
/// its dependencies, enabled or not, at their places. A dict, of which the caller owns every table.
value::Value chart_defaults(const helm::RenderableChart& chart);

}  // namespace chartwright::defaults
