// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helm/lint/message.h"
#include "helm/lint/object_types.h"
#include "helm/lint/source.h"
#include "helm/render/capabilities.h"
#include "helm/render/engine.h"

namespace chartwright::helm::lint {

/// What the command line says beside the charts.
struct LintInputs {
  value::Value values;  ///< Of -f and --set: a dict, or nil.
  std::string namespace_name = "default";
  std::optional<helm::KubeVersion> kube_version;  ///< Unset: that of Helm's release.
  helm::SchemaCheck schema_check = helm::SchemaCheck::kValidate;
  /// What loads and renders the chart and reads schemas; the rules are those of 3.22 with all.
  const helm::Profile* profile = &helm::default_profile();
  const ObjectTypes* cluster_types = nullptr;  ///< Of a cluster; nullptr: the bundled ones.
};

/// The outside of a lint run. What they refer to must outlive it.
struct LintContext {
  tmpl::Host& host;
  const base::Clock& clock;
  std::vector<std::string>& log;  ///< Takes lines that are no findings: warnings of loading, what
                                  ///< `required` and `fail` say.
  base::BudgetLimits limits = {};
};

/// A chart as loaded, or why it cannot be.
using LoadedBundle = base::Result<std::shared_ptr<const helm::Bundle>>;

/// Everything that `helm lint` finds, in its order and words.
/// Source: helm/helm v3.22 pkg/lint/lint.go.
Messages lint_as_helm(const ChartSource& source, const LoadedBundle& bundle,
                      const LintInputs& inputs, const LintContext& context);

// The groups of Helm's rules; each adds what it finds.

/// Source: pkg/lint/rules/chartfile.go.
void check_chart_file(const ChartSource& source, Messages& messages);
/// Source: pkg/lint/rules/values.go.
void check_values_file(const ChartSource& source, const LintInputs& inputs, Messages& messages,
                       std::vector<std::string>& log);
/// Source: pkg/lint/rules/template.go.
void check_templates(const ChartSource& source, const LoadedBundle& bundle,
                     const LintInputs& inputs, const LintContext& context, Messages& messages);
/// Source: pkg/lint/rules/dependencies.go.
void check_dependencies(const ChartSource& source, const LoadedBundle& bundle, Messages& messages);

}  // namespace chartwright::helm::lint
