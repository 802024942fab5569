// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "helm/lint/message.h"
#include "helm/render/chart_source.h"
#include "helm/render/renderable_chart.h"
#include "value/value.h"

namespace chartwright::helm::lint {

/// Finds keys that templates use but nothing defines, and keys of values.yaml that nothing uses.
/// `others` are further values that define keys: those of ci/ files and of the command line.
Messages find_key_faults(const ChartSource& source, const helm::RenderableChart& loaded,
                         const std::vector<value::Value>& others);

}  // namespace chartwright::helm::lint
