// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/crd_options.h"
#include "external/definition.h"
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

/// A question about a live object of a child, as a template that renders "true" or "false".
struct Predicate {
  std::string text;
  base::SourcePos pos;
  std::string path;                              ///< "children[0].present"
  std::optional<helm::OperatorTemplate> parsed;  ///< Of a bundle that was loaded.
};

/// The templates of a rule for children.
struct ChildPredicates {
  std::optional<Predicate> present;  ///< Whether the object counts.
  std::optional<Predicate> ready;    ///< Whether it is ready.
};

/// The contents of operator/operator.yaml.
struct OperatorRules {
  std::vector<RelatedConfig> related;
  std::vector<release::ChildRule> children;
  std::vector<ChildPredicates> predicates;  ///< Of the rule with the same index.
  /// Reports whether a rule has a predicate.
  bool judge_children() const;
  bool allow_empty = false;  ///< A chart that renders nothing may prune everything.
  CrdOptions crd;            ///< For `chartwright generate crd`; the operator needs none of it.
};

/// A chart with its operator/ folder: everything about a kind that is the same for all its custom
/// resources. Immutable, shared by all workers.
struct Bundle {
  std::shared_ptr<const helm::RenderableChart> chart;
  OperatorRules rules;
  std::vector<helm::OperatorTemplate> patches;  ///< By path.
  std::vector<external::External> externals;    ///< Each after those that it uses.
  std::optional<helm::OperatorTemplate> status_template;
  bool has_crds = false;  ///< The chart or a subchart has files in crds/.
  /// A template that those of operator/ may call mentions .Live, or a rule judges live objects.
  bool reads_live = false;

  const std::string& chart_name() const { return chart->chart().name(); }
  /// "bookstore-0.1.0"
  std::string chart_version() const { return chart_name() + "-" + chart->chart().metadata.version; }
};

/// Loads a chart folder with its operator/ folder, to be rendered as the version `helm` of Helm.
/// Errors: those of helm::RenderableChart::load, parse_operator_rules and
/// external::load_externals, and kParse with file:line:column for a predicate that does not parse.
base::Result<Bundle> load_bundle(const std::string& path,
                                 const helm::Profile& helm = helm::default_profile());

/// Parses operator/operator.yaml, but not the templates in it. `file` is its name in errors.
/// Errors: kParse and kInvalidArgument with file:line:column, what is wrong and, for a misspelt
/// key, the probable spelling.
base::Result<OperatorRules> parse_operator_rules(const std::string& text, const std::string& file);

}  // namespace chartwright::bundle
