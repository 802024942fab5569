// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "helm/lint/message.h"
#include "helm/lint/source.h"
#include "helm/render/bundle.h"
#include "value/value.h"

namespace chartwright::helm::lint {

/// Keys that templates use and nobody defines, and keys of values.yaml that nothing uses. `others`
/// are further values that the chart documents (its ci/ files), and those of the command line.
Messages find_key_faults(const ChartSource& source, const helm::Bundle& bundle,
                         const std::vector<value::Value>& others);

}  // namespace chartwright::helm::lint
