// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/engine.h"
#include "helm/render/operator_template.h"
#include "helm/render/renderable_chart.h"
#include "kube/object.h"
#include "release/rules.h"

namespace chartwright::bundle {

/// Selects objects that templates read but their custom resource does not own.
struct RelatedQuery {
  std::string name;  ///< Its name in templates: `.Related.<name>`.
  kube::Gvk gvk;
  std::string label_selector;  ///< The part of the selector that is the same for all readers.
  std::string index_label;     ///< Links related objects to their readers: see op::RelatedSource.
};

/// One entry of `related:` in operator/operator.yaml.
struct RelatedConfig {
  struct Label {
    std::string key;
    std::string value;
    std::optional<helm::OperatorTemplate> per_cr;  ///< `value`, parsed, if it is a template.

    bool is_template() const { return value.find("{{") != std::string::npos; }
  };
  std::string name;
  kube::Gvk gvk;
  std::vector<Label> selector;

  /// Reports whether the selector depends on the custom resource.
  bool has_templates() const;
  /// Returns the part that is the same for all custom resources, indexed by the first templated
  /// label, or by the first label if none is templated.
  RelatedQuery query() const;
};

/// The contents of operator/operator.yaml.
struct OperatorRules {
  std::vector<RelatedConfig> related;
  std::vector<release::ChildRule> children;
  bool allow_empty = false;  ///< A chart that renders nothing may prune everything.
};

/// A chart with its operator/ folder: everything about a kind that is the same for all its custom
/// resources. Immutable, shared by all workers.
struct Bundle {
  std::shared_ptr<const helm::RenderableChart> chart;
  OperatorRules rules;
  std::vector<helm::OperatorTemplate> patches;  ///< By path.
  std::optional<helm::OperatorTemplate> status_template;
  bool has_crds = false;    ///< The chart or a subchart has files in crds/.
  bool reads_live = false;  ///< A template that those of operator/ may call mentions .Live.

  const std::string& chart_name() const { return chart->chart().name(); }
  /// "bookstore-0.1.0"
  std::string chart_version() const { return chart_name() + "-" + chart->chart().metadata.version; }
};

/// Loads a chart folder with its operator/ folder, to be rendered as the version `helm` of Helm.
/// Errors: those of helm::RenderableChart::load and parse_operator_rules.
base::Result<Bundle> load_bundle(const std::string& path,
                                 const helm::Profile& helm = helm::default_profile());

/// Parses operator/operator.yaml, but not the templates in it. `file` is its name in errors.
/// Errors: kParse and kInvalidArgument with file:line:column, what is wrong and, for a misspelt
/// key, the probable spelling.
base::Result<OperatorRules> parse_operator_rules(const std::string& text, const std::string& file);

}  // namespace chartwright::bundle
