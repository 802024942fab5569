// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "generate/yaml_text.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::generate {

/// Returns the schema of the values of a chart with descriptions of its fields: its own, else the
/// comments of values.yaml, with their defaults. A schema that would be too long to apply gets
/// shorter ones, or those of its upper levels only.
Yaml described(const Yaml& schema, const helm::RenderableChart& chart);

}  // namespace chartwright::generate
