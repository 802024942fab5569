// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/render/inputs.h"
#include "helm/render/prepare.h"

namespace chartwright::helm {

/// Renders what was prepared. Errors: kTemplate and kParse in Helm's words with the position in the
/// template and the source line as help, kBudget, kInvalidArgument (kubeVersion). Pure but for the
/// context. Source: helm/helm v3 pkg/engine/engine.go, pkg/action/action.go renderResources.
base::Result<Rendered> render(const Bundle& bundle, Prepared prepared, const RenderInputs& inputs,
                              const RenderContext& context);

/// prepare, then render.
base::Result<Rendered> render(const Bundle& bundle, const RenderInputs& inputs,
                              const RenderContext& context);

/// The dict that the root chart's templates get as dot: Chart, Files, Release, Capabilities, Values
/// and Subcharts.
value::Value root_scope(const Prepared& prepared, const RenderInputs& inputs);

}  // namespace chartwright::helm
