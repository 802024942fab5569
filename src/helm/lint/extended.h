// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "helm/lint/helm.h"

namespace chartwright::helm::lint {

/// Finds faults that Helm's linter does not look for: keys of the values that are used but not
/// defined, or defined but not used; values that do not match the schema, with their places; and
/// fields of rendered objects that an API server would reject, with the defaults and with every
/// values file of ci/.
Messages lint_extended(const ChartSource& source, const helm::RenderableChart& loaded,
                       const LintInputs& inputs, const LintContext& context);

}  // namespace chartwright::helm::lint
