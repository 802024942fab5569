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

/// What templates want to know of objects that their custom resource does not own.
struct RelatedQuery {
  std::string name;  ///< As templates say it: `.Related.<name>`.
  kube::Gvk gvk;
  std::string label_selector;  ///< The part of the selector that is the same for all readers.
  std::string index_label;     ///< Of related objects and their readers: see op::RelatedSource.
};

/// One entry of `related:` in operator/operator.yaml.
struct RelatedConfig {
  struct Label {
    std::string key;
    std::string value;
    std::optional<helm::OperatorTemplate> per_cr;  ///< `value` parsed, where it is a template.

    bool is_template() const { return value.find("{{") != std::string::npos; }
  };
  std::string name;
  kube::Gvk gvk;
  std::vector<Label> selector;

  /// Whether its labels are another for each custom resource.
  bool has_templates() const;
  /// The part that is the same for all custom resources; indexed by the first templated label.
  RelatedQuery query() const;
};

/// What operator/operator.yaml says.
struct OperatorRules {
  std::vector<RelatedConfig> related;
  std::vector<release::ChildRule> children;
  bool allow_empty = false;  ///< A chart that renders nothing prunes everything without asking.
};

/// A chart with its operator/ folder: everything about a kind that is the same for all its custom
/// resources. Immutable, shared by all workers.
struct Bundle {
  std::shared_ptr<const helm::RenderableChart> chart;
  OperatorRules rules;
  std::vector<helm::OperatorTemplate> patches;  ///< By path.
  std::optional<helm::OperatorTemplate> status_template;
  bool has_crds = false;    ///< The chart or a subchart has files in crds/.
  bool reads_live = false;  ///< Some template that operator/ templates may call mentions .Live.

  const std::string& chart_name() const { return chart->chart().name(); }
  /// "bookstore-0.1.0"
  std::string chart_version() const { return chart_name() + "-" + chart->chart().metadata.version; }
};

/// Loads a chart folder with its operator/ folder, to be rendered as a version of Helm. Errors:
/// those of helm::RenderableChart::load and parse_operator_rules.
base::Result<Bundle> load_bundle(const std::string& path,
                                 const helm::Profile& helm = helm::default_profile());

/// Reads operator/operator.yaml; templates in it are left unparsed. `file` names it in errors.
/// Errors: kParse and kInvalidArgument with file:line:column, what is wrong and, for a misspelt
/// key, what was probably meant.
base::Result<OperatorRules> parse_operator_rules(const std::string& text, const std::string& file);

}  // namespace chartwright::bundle
