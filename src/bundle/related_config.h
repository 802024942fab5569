// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "helm/render/operator_template.h"
#include "helm/render/renderable_chart.h"
#include "kube/label_selector.h"
#include "kube/object.h"
#include "yaml/document.h"

namespace chartwright::bundle {

/// A text of operator.yaml that may be a template over the custom resource.
struct TemplateText {
  std::string text;
  base::SourcePos pos;
  std::string path;                              ///< "children[0].present"
  std::optional<helm::OperatorTemplate> parsed;  ///< See attach().

  bool is_template() const { return text.find("{{") != std::string::npos; }
  /// Makes a template of the text, if it is one, with the helpers of `chart`.
  void attach(const std::shared_ptr<const helm::RenderableChart>& chart);
  /// Error: kParse with file:line:column, also for a helper that does not parse.
  base::Status check() const;
};

/// Selects objects for all readers of one watch. Each reader's objects differ by the values of some
/// labels.
struct RelatedQuery {
  kube::Gvk gvk;
  std::string ns;  ///< Empty: the namespaces of the custom resources.
  std::string label_selector;
  /// Labels by which readers select; the order is that of values.
  std::vector<std::string> index_labels;
  auto operator<=>(const RelatedQuery&) const = default;
};

/// One entry of `related:` in operator/operator.yaml.
struct RelatedConfig {
  struct Term {
    std::string key;
    kube::LabelRequirement::Op op = kube::LabelRequirement::Op::kIn;
    std::vector<TemplateText> values;

    bool has_templates() const;
    /// Returns the requirement, of which the values are not rendered.
    kube::LabelRequirement as_written() const;
  };
  struct BySelector {
    std::vector<Term> terms;
  };
  struct ByName {
    TemplateText name;
  };
  /// The objects that the label selector of a child selects.
  struct BySelectorOf {
    kube::Gvk gvk;
    TemplateText name;
  };
  using Choice = std::variant<BySelector, ByName, BySelectorOf>;

  std::string name;  ///< In templates: `.Related.<name>`.
  kube::Gvk gvk;
  std::optional<TemplateText> ns;  ///< Missing: that of the custom resource.
  Choice choice;

  /// Returns the texts that may be templates.
  std::vector<TemplateText*> texts();
  /// Reports whether the objects depend on the custom resource by more than its namespace.
  bool has_templates() const;
  /// Returns the query, if no custom resource is needed to know it.
  std::optional<RelatedQuery> query() const;
};

/// Returns a query of `related` that finds what `selector` selects, and is the same for all
/// selectors with the same keys.
RelatedQuery query_by_keys(const RelatedConfig& related, const kube::LabelSelector& selector);

/// Reads one entry of `related:`. Errors: kParse with file:line:column.
base::Result<RelatedConfig> read_related(const std::string& name, const yaml::DocumentNode& node);

}  // namespace chartwright::bundle
