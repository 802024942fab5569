// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "helm/lint/helm.h"

namespace chartwright::helm::lint {

/// What Helm does not look for: keys of the values that nobody defines, or nobody uses;
/// values that do not meet the schema, at their places; fields of rendered objects that an API
/// server would refuse, with the defaults and with every values file of ci/.
Messages lint_beyond_helm(const ChartSource& source, const helm::Bundle& bundle,
                          const LintInputs& inputs, const LintContext& context);

}  // namespace chartwright::helm::lint
