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
  const bool reads_selectors = std::ranges::any_of(bundle.rules.related, [](const auto& related) {
    return std::holds_alternative<RelatedConfig::BySelectorOf>(related.choice);
  });
  if (bundle.rules.judge_children() || needs_labels || reads_selectors) {
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

std::vector<TemplateText*> texts_of(OperatorRules& rules) {
  std::vector<TemplateText*> texts;
  for (RelatedConfig& related : rules.related) {
    const auto more = related.texts();
    texts.insert(texts.end(), more.begin(), more.end());
  }
  for (ChildPredicates& rule : rules.predicates) {
    for (std::optional<Predicate>* predicate : {&rule.present, &rule.ready}) {
      if (*predicate) {
        texts.push_back(&**predicate);
      }
    }
  }
  return texts;
}

base::Status check_templates(Bundle& bundle) {
  for (const TemplateText* text : texts_of(bundle.rules)) {
    CW_TRY_VOID(text->check());
  }
  for (const helm::OperatorTemplate& patch : bundle.patches) {
    CW_TRY_VOID(patch.parse());
  }
  if (bundle.status_template) {
    return bundle.status_template->parse();
  }
  return {};
}

}  // namespace

bool OperatorRules::judge_children() const {
  return std::any_of(predicates.begin(), predicates.end(),
                     [](const ChildPredicates& rule) { return rule.present || rule.ready; });
}

std::vector<std::string> Bundle::unread_keys(const value::Value& spec) const {
  std::vector<std::string> texts;
  for (const helm::lint::UnreadKey& key : helm::lint::unread_keys(read_keys, spec)) {
    texts.push_back(key.to_string());
  }
  return texts;
}

base::Result<Bundle> load_bundle(const std::string& path, const helm::Profile& helm) {
  Bundle bundle;
  CW_TRY(bundle.chart, helm::RenderableChart::load(path, helm));
  const std::string folder = bundle.chart_name() + "/operator/";
  for (const auto& [name, text] : bundle.chart->operator_files()) {
    if (name == "operator.yaml") {
      CW_TRY(bundle.rules, parse_operator_rules(text, path + "/operator/" + name));
      for (TemplateText* part : texts_of(bundle.rules)) {
        part->attach(bundle.chart);
      }
    } else if (name == "status.yaml") {
      bundle.status_template.emplace(bundle.chart, folder + name, text);
    } else if (name.starts_with(kPatchesFolder) && is_yaml(name)) {
      bundle.patches.emplace_back(bundle.chart, folder + name, text);
    }
  }
  CW_TRY(bundle.externals, external::load_externals(bundle.chart, bundle.chart->operator_files(),
                                                    path + "/operator/"));
  if (auto keys = helm::lint::read_keys(*bundle.chart); keys.ok()) {
    bundle.read_keys = *std::move(keys);
    CW_TRY_VOID(check_templates(bundle));
  } else {  // A template of the chart does not parse. Each render says which; other charts go on.
    bundle.read_keys.complete = false;
  }
  bundle.has_crds = !helm::crds_of(bundle.chart->chart()).empty();
  bundle.reads_live = reads_live(bundle);
  return bundle;
}

}  // namespace chartwright::bundle
