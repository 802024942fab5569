// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/helm.h"

namespace chartwright::helm::lint {

Messages lint_as_helm(const ChartSource& source, const ChartOrError& loaded,
                      const LintInputs& inputs, const LintContext& context) {
  Messages messages;
  // Helm loads the chart for the templates, and again for the dependencies.
  const auto note_loading = [&] {
    if (loaded.ok()) {
      const helm::Warnings& warnings = (*loaded)->warnings();
      context.log.insert(context.log.end(), warnings.begin(), warnings.end());
    }
  };
  check_chart_file(source, messages);
  check_values_file(source, inputs, messages, context.log);
  note_loading();
  check_templates(source, loaded, inputs, context, messages);
  note_loading();
  check_dependencies(source, loaded, messages);
  return messages;
}

}  // namespace chartwright::helm::lint
