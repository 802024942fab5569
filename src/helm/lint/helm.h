// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helm/lint/message.h"
#include "helm/objects/object_types.h"
#include "helm/render/capabilities.h"
#include "helm/render/chart_source.h"
#include "helm/render/engine.h"
#include "helm/values/value_origins.h"

namespace chartwright::helm::lint {

/// The options of the command line.
struct LintInputs {
  value::Value values;       ///< The values of -f and --set: a dict, or nil.
  helm::ValueLayers layers;  ///< The sources of `values`, to tell where a key is set.
  std::string namespace_name = "default";
  std::optional<helm::KubeVersion> kube_version;  ///< Default: that of Helm's release.
  helm::SchemaCheck schema_check = helm::SchemaCheck::kValidate;
  /// The version of Helm that loads and renders the chart and reads schemas. The lint rules are
  /// always those of 3.22.
  const helm::Profile* profile = &helm::default_profile();
  helm::SchemaSources schemas;  ///< Where the documents come from that schemas refer to.
  /// Members that the dot of every template has beside Helm's, as in RenderInputs.
  value::Value extra = {};
  const ObjectTypes* cluster_types =
      nullptr;  ///< A cluster's types; nullptr for the built-in ones.
  /// Says why the operator refuses a rendered document; null: that is not checked.
  base::Status (*check_document)(const value::Value& document) = nullptr;
};

/// The environment of a lint run. The references must outlive it.
struct LintContext {
  tmpl::Host& host;
  const base::Clock& clock;
  std::vector<std::string>& log;  ///< Receives lines that are not findings: warnings of loading
                                  ///< and messages of `required` and `fail`.
  base::BudgetLimits limits = {};
};

/// A loaded chart, or the error of loading it.
using ChartOrError = base::Result<std::shared_ptr<const helm::RenderableChart>>;

/// Returns everything that `helm lint` finds, in its order and words.
/// Source: helm/helm v3.22 pkg/lint/lint.go.
Messages lint_as_helm(const ChartSource& source, const ChartOrError& loaded,
                      const LintInputs& inputs, const LintContext& context);

// The groups of Helm's rules. Each adds its findings to `messages`.

/// Source: pkg/lint/rules/chartfile.go.
void check_chart_file(const ChartSource& source, Messages& messages);
/// Source: pkg/lint/rules/values.go.
void check_values_file(const ChartSource& source, const LintInputs& inputs, Messages& messages,
                       std::vector<std::string>& log);
/// Source: pkg/lint/rules/template.go.
void check_templates(const ChartSource& source, const ChartOrError& loaded,
                     const LintInputs& inputs, const LintContext& context, Messages& messages);
/// Source: pkg/lint/rules/dependencies.go.
void check_dependencies(const ChartSource& source, const ChartOrError& loaded, Messages& messages);

}  // namespace chartwright::helm::lint
