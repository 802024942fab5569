// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "helm/render/inputs.h"
#include "value/value.h"

namespace chartwright::helm {

/// One template of the chart tree with the data of its chart.
struct Renderable {
  const std::string* text;
  value::Value scope;  ///< Shared by all files of a chart: what one sets, later ones see.
  std::string base_path;
};
/// By path: "chart/charts/sub/templates/x.yaml".
using Renderables = std::map<std::string, Renderable>;

/// The dict that the root chart's templates get as dot. Unless `into` is null, the templates of the
/// whole chart tree are added to it. Source: helm/helm v3 pkg/engine/engine.go recAllTpls.
value::Value build_scope(const Prepared& prepared, const RenderInputs& inputs, Renderables* into);

}  // namespace chartwright::helm
