// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "helm/render/inputs.h"
#include "value/value.h"

namespace chartwright::helm {

/// A template of the chart tree with the data of its chart.
struct Renderable {
  const std::string* text;
  value::Value scope;  ///< Shared by all files of a chart: later files see what earlier ones set.
  std::string base_path;
};
/// Templates by path: "chart/charts/sub/templates/x.yaml".
using Renderables = std::map<std::string, Renderable>;

/// Reports whether a file of a chart's templates is parsed: of a library, only partials are.
/// Source: helm/helm v3 pkg/engine/engine.go recAllTpls.
bool is_parsed(const Chart& chart, const File& file);

/// Returns the dict that the root chart's templates get as dot. Adds the templates of the whole
/// chart tree to `into`, unless it is null.
/// Source: helm/helm v3 pkg/engine/engine.go recAllTpls.
value::Value build_scope(const PreparedChart& prepared, const RenderInputs& inputs,
                         Renderables* into);

}  // namespace chartwright::helm
