// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/faults.h"
#include "base/result.h"
#include "bundle/bundle_names.h"
#include "bundle/capability_reads.h"
#include "bundle/crd_options.h"
#include "bundle/mentions.h"
#include "bundle/recorded_chart.h"
#include "bundle/related_config.h"
#include "external/external.h"
#include "helm/analysis/read_keys.h"
#include "helm/render/operator_template.h"
#include "helm/render/renderable_chart.h"
#include "kube/names.h"
#include "kube/object.h"
#include "release/rules.h"

namespace chartwright::bundle {

/// A question about a live object of a child, as a template that renders "true" or "false".
using Predicate = TemplateText;

/// The templates of a rule for children.
struct ChildPredicates {
  std::optional<Predicate> present;  ///< Whether the object counts.
  std::optional<Predicate> ready;    ///< Whether it is ready.
};

/// The contents of operator/operator.yaml.
struct OperatorRules {
  std::vector<RelatedConfig> related;
  std::vector<release::ChildRule> children;
  std::vector<ChildPredicates> predicates;  ///< The predicates of the rule with the same index.
  /// Reports whether a rule has a predicate.
  bool judge_children() const;
  bool allow_empty = false;  ///< A chart that renders nothing may prune everything.
  std::vector<Mention> mentions;
  CrdOptions crd;  ///< For `chartwright generate crd`; the operator needs none of it.
};

/// A chart with its operator/ folder: everything about a kind that is the same for all its custom
/// resources. Immutable, shared by all workers.
struct Bundle {
  std::shared_ptr<const helm::RenderableChart> chart;
  /// The files of the chart, packed as records store them.
  std::shared_ptr<const RecordedChart> recorded;
  kube::LabelValue chart_label;  ///< The name of the chart, by which its objects are found.
  OperatorRules rules;
  std::vector<helm::OperatorTemplate> patches;  ///< Ordered by path.
  std::vector<external::External> externals;    ///< Each after those that it uses.
  std::optional<helm::OperatorTemplate> status_template;
  /// Makes the chart's values of a custom resource; nullopt: they are its spec.
  std::optional<helm::OperatorTemplate> values_template;
  /// The keys of the spec that are read. Not complete if a template does not parse.
  helm::analysis::ReadKeys read_keys;
  bool has_crds = false;  ///< The chart or a subchart has files in crds/.
  /// Whole children are needed: a template that those of operator/ may call mentions .Live, a rule
  /// judges live objects, or a child's selector selects related ones.
  bool reads_live = false;
  /// A template of operator/ may read annotations of the custom resource.
  bool reads_annotations = false;
  /// Decides whether API versions that come and go concern its custom resources.
  CapabilityReads capability_reads;
  /// A file of the chart mentions `lookup`, or Secrets are related objects: what they hold can be
  /// in any child.
  bool may_look_up = false;
  /// Names in operator/ that are probably misspelt, with file:line:column.
  std::vector<base::Error> doubts;

  const std::string& chart_name() const { return chart->chart().name(); }
  /// "bookstore-0.1.0"
  std::string chart_version() const { return chart_name() + "-" + chart->chart().metadata.version; }
  /// Returns a text for each key of a spec that no template reads, with the nearest key.
  std::vector<std::string> unread_keys(const value::Value& spec) const;
};

/// Loads a chart folder with its operator/ folder, to be rendered as the version `helm` of Helm.
/// The documents that its schemas refer to come from `schemas`. Errors: those of
/// helm::RenderableChart::load, chart_label, parse_operator_rules and external::load_externals, and
/// kParse with the position for a template of operator/ that does not parse.
/// Faults of several files are one error, with one a line.
base::Result<Bundle> load_bundle(const std::string& path,
                                 const helm::Profile& helm = helm::default_profile(),
                                 helm::SchemaSources schemas = {});
/// Like the overload above, with a fault for each wrong part; the bundle is of use only without
/// faults.
Bundle load_bundle(const std::string& path, const helm::Profile& helm, helm::SchemaSources schemas,
                   base::Faults& faults);

/// Checks the names that the templates of operator/ read, where `schemas` describe the data.
/// `folder` begins the names of files in errors. Adds a fault for each file: kInvalidArgument with
/// file:line:column, and the name that may be meant. Names that hardly exist go to `doubts`.
void check_names(const Bundle& bundle, const std::string& folder, const DataSchemas& schemas,
                 base::Faults& faults, std::vector<base::Error>* doubts = nullptr);

/// Parses operator/operator.yaml, but not the templates in it. `file` is its name in errors.
/// Errors: kParse and kInvalidArgument with file:line:column, what is wrong and, for a misspelt
/// key, the probable spelling.
base::Result<OperatorRules> parse_operator_rules(const std::string& text, const std::string& file);
/// Like the overload above, with a fault for each wrong entry of `related` and rule, and for each
/// other key.
OperatorRules parse_operator_rules(const std::string& text, const std::string& file,
                                   base::Faults& faults);

}  // namespace chartwright::bundle
