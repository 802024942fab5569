// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle.h"
#include "helm/render/operator_template.h"

#include <algorithm>

namespace chartwright::bundle {
namespace {

constexpr std::string_view kPatchesFolder = "patches/";

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

// Searches the source text, not the parsed template: a false positive costs only memory.
bool mentions_live(const std::string& text) {
  return text.find(".Live") != std::string::npos || text.find("\"Live\"") != std::string::npos;
}

// Also looks at the chart's own helpers, because templates in operator/ may call them.
bool reads_live(const Bundle& bundle) {
  // A child that is no longer rendered is told by its live labels.
  const auto& rules = bundle.rules.children;
  const bool needs_labels = std::any_of(rules.begin(), rules.end(), [](const auto& rule) {
    return rule.pace && !rule.match.labels.empty();
  });
  if (bundle.rules.judge_children() || needs_labels) {
    return true;
  }
  if (bundle.patches.empty() && !bundle.status_template) {
    return false;
  }
  const auto& templates = bundle.chart->chart().content->templates;
  return std::any_of(bundle.patches.begin(), bundle.patches.end(),
                     [](const helm::OperatorTemplate& t) { return mentions_live(t.text()); }) ||
         (bundle.status_template && mentions_live(bundle.status_template->text())) ||
         std::any_of(templates.begin(), templates.end(),
                     [](const helm::File& file) { return mentions_live(file.data); });
}

void make_selectors(Bundle& bundle) {
  for (RelatedConfig& related : bundle.rules.related) {
    for (RelatedConfig::Label& label : related.selector) {
      if (label.is_template()) {
        label.per_cr.emplace(bundle.chart, "operator.yaml:related." + related.name, label.value);
      }
    }
  }
}

base::Status parse_predicate(const Bundle& bundle, std::optional<Predicate>& predicate) {
  if (!predicate) {
    return {};
  }
  predicate->parsed.emplace(bundle.chart, "operator.yaml:" + predicate->path, predicate->text);
  auto parsed = predicate->parsed->parse();
  if (!parsed.ok()) {
    return base::Error(base::ErrorCode::kParse, predicate->path + ": " + parsed.error().message())
        .at(predicate->pos);
  }
  return {};
}

base::Status parse_predicates(Bundle& bundle) {
  for (ChildPredicates& rule : bundle.rules.predicates) {
    CW_TRY_VOID(parse_predicate(bundle, rule.present));
    CW_TRY_VOID(parse_predicate(bundle, rule.ready));
  }
  return {};
}

}  // namespace

bool OperatorRules::judge_children() const {
  return std::any_of(predicates.begin(), predicates.end(),
                     [](const ChildPredicates& rule) { return rule.present || rule.ready; });
}

bool RelatedConfig::has_templates() const {
  return std::any_of(selector.begin(), selector.end(),
                     [](const Label& label) { return label.is_template(); });
}

RelatedQuery RelatedConfig::query() const {
  RelatedQuery query;
  query.name = name;
  query.gvk = gvk;
  for (const Label& label : selector) {
    query.label_selector += query.label_selector.empty() ? "" : ",";
    query.label_selector += label.is_template() ? label.key : label.key + "=" + label.value;
    if (label.is_template() && query.index_label.empty()) {
      query.index_label = label.key;
    }
  }
  if (query.index_label.empty() && !selector.empty()) {
    query.index_label = selector.front().key;
  }
  return query;
}

base::Result<Bundle> load_bundle(const std::string& path, const helm::Profile& helm) {
  Bundle bundle;
  CW_TRY(bundle.chart, helm::RenderableChart::load(path, helm));
  const std::string folder = bundle.chart_name() + "/operator/";
  for (const auto& [name, text] : bundle.chart->operator_files()) {
    if (name == "operator.yaml") {
      CW_TRY(bundle.rules, parse_operator_rules(text, path + "/operator/" + name));
      make_selectors(bundle);
      CW_TRY_VOID(parse_predicates(bundle));
    } else if (name == "status.yaml") {
      bundle.status_template.emplace(bundle.chart, folder + name, text);
    } else if (name.starts_with(kPatchesFolder) && is_yaml(name)) {
      bundle.patches.emplace_back(bundle.chart, folder + name, text);
    }
  }
  CW_TRY(bundle.externals, external::load_externals(bundle.chart, bundle.chart->operator_files(),
                                                    path + "/operator/"));
  bundle.has_crds = !helm::crds_of(bundle.chart->chart()).empty();
  bundle.reads_live = reads_live(bundle);
  return bundle;
}

}  // namespace chartwright::bundle
