// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/render/inputs.h"
#include "helm/render/prepare.h"

namespace chartwright::helm {

/// Renders a prepared chart. Errors: kTemplate and kParse in Helm's words, with the position in the
/// template and with the source line as help; kBudget; kInvalidArgument (kubeVersion). Pure except
/// for the context.
/// Source: helm/helm v3 pkg/engine/engine.go, pkg/action/action.go renderResources.
base::Result<Rendered> render(const RenderableChart& loaded, PreparedChart prepared,
                              const RenderInputs& inputs, const RenderContext& context);

/// Prepares and renders a chart. Errors: as prepare and render.
base::Result<Rendered> render(const RenderableChart& loaded, const RenderInputs& inputs,
                              const RenderContext& context);

/// Returns the dict that the root chart's templates get as dot: Chart, Files, Release,
/// Capabilities, Values and Subcharts.
value::Value root_scope(const PreparedChart& prepared, const RenderInputs& inputs);

}  // namespace chartwright::helm
