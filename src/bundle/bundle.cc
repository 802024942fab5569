// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle.h"

#include <algorithm>

#include "bundle/status_fields.h"
#include "bundle/template_names.h"
#include "yaml/document.h"

namespace chartwright::bundle {
namespace {

using value::Value;

constexpr std::string_view kPatchesFolder = "patches/";
constexpr std::string_view kStatusFile = "status.yaml";
constexpr std::string_view kValuesFile = "values.yaml";
constexpr std::string_view kStatusSchema = "status.schema.json";

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

// Searches the source text, not the parsed template: a false positive costs only memory.
bool mentions_live(const std::string& text) {
  return text.find(".Live") != std::string::npos || text.find("\"Live\"") != std::string::npos;
}

// Also looks at the chart's own helpers, because templates in operator/ may call them.
bool reads_live(const Bundle& bundle) {
  // A child that is no longer rendered is recognised by its live labels.
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

// Searches the source text, also of files and values that may pass through tpl: a false positive
// only hides values.
bool mentions_lookup(const helm::Chart& chart) {
  const auto mentions = [](const std::string& text) {
    return text.find("lookup") != std::string::npos;
  };
  const auto in_file = [&mentions](const helm::File& file) { return mentions(file.data); };
  return std::ranges::any_of(chart.content->templates, in_file) ||
         std::ranges::any_of(chart.content->files, in_file) ||
         mentions(chart.content->values_text) ||
         std::ranges::any_of(chart.dependencies, mentions_lookup);
}

bool may_look_up(const Bundle& bundle) {
  return mentions_lookup(bundle.chart->chart()) ||
         std::ranges::any_of(bundle.rules.related, [](const RelatedConfig& related) {
           return kube::is_secret(related.gvk);
         });
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

KnownNames known_names(const Bundle& bundle) {
  std::vector<std::string> related;
  for (const RelatedConfig& entry : bundle.rules.related) {
    related.push_back(entry.name);
  }
  std::vector<std::string> externals;
  for (const external::External& one : bundle.externals) {
    externals.push_back(one.name);
  }
  return operator_names(related, externals);
}

/// Checks status.yaml against status.schema.json, if there is one.
base::Status check_status(const Bundle& bundle, const std::string& folder) {
  Value schema;
  const auto& files = bundle.chart->operator_files();
  if (const auto found = files.find(std::string(kStatusSchema)); found != files.end()) {
    // JSON is YAML; this reader knows the place of an error.
    CW_TRY(const auto document, yaml::parse_document(found->second, folder + found->first));
    CW_TRY(schema, yaml::document_value(document, value::Numbers::kInt64));
  }
  return check_status_fields(*bundle.status_template, folder + std::string(kStatusFile),
                             {schema, std::string(kStatusSchema)});
}

/// `folder` begins the paths of files in errors.
base::Status check_templates(Bundle& bundle, const std::string& folder) {
  for (const TemplateText* text : texts_of(bundle.rules)) {
    CW_TRY_VOID(text->check());
  }
  const KnownNames names = known_names(bundle);
  const std::string own = bundle.chart_name() + "/operator/";
  for (const helm::OperatorTemplate& patch : bundle.patches) {
    CW_TRY_VOID(check_names(patch, folder + patch.name().substr(own.size()), names));
  }
  if (bundle.values_template) {
    CW_TRY_VOID(
        check_names(*bundle.values_template, folder + std::string(kValuesFile), values_names()));
    CW_TRY(bundle.read_keys, keys_of_spec(*bundle.values_template));
  }
  if (bundle.status_template) {
    CW_TRY_VOID(check_names(*bundle.status_template, folder + std::string(kStatusFile), names));
    return check_status(bundle, folder);
  }
  return {};
}

}  // namespace

bool OperatorRules::judge_children() const {
  return std::any_of(predicates.begin(), predicates.end(),
                     [](const ChildPredicates& rule) { return rule.present || rule.ready; });
}

std::vector<std::string> Bundle::unread_keys(const Value& spec) const {
  std::vector<std::string> texts;
  for (const helm::lint::UnreadKey& key : helm::lint::unread_keys(read_keys, spec)) {
    texts.push_back(key.to_string());
  }
  return texts;
}

base::Result<Bundle> load_bundle(const std::string& path, const helm::Profile& helm,
                                 helm::SchemaSources schemas) {
  Bundle bundle;
  CW_TRY(bundle.chart, helm::RenderableChart::load(path, helm, std::move(schemas)));
  bundle.recorded = std::make_shared<const RecordedChart>(bundle.chart);
  const std::string folder = bundle.chart_name() + "/operator/";
  for (const auto& [name, text] : bundle.chart->operator_files()) {
    if (name == "operator.yaml") {
      CW_TRY(bundle.rules, parse_operator_rules(text, path + "/operator/" + name));
      for (TemplateText* part : texts_of(bundle.rules)) {
        part->attach(bundle.chart);
      }
    } else if (name == kValuesFile) {
      bundle.values_template.emplace(bundle.chart, folder + name, text);
    } else if (name == kStatusFile) {
      bundle.status_template.emplace(bundle.chart, folder + name, text);
    } else if (name.starts_with(kPatchesFolder) && is_yaml(name)) {
      bundle.patches.emplace_back(bundle.chart, folder + name, text);
    }
  }
  CW_TRY(bundle.externals, external::load_externals(bundle.chart, bundle.chart->operator_files(),
                                                    path + "/operator/"));
  if (auto keys = helm::lint::read_keys(*bundle.chart); keys.ok()) {
    bundle.read_keys = *std::move(keys);
    CW_TRY_VOID(check_templates(bundle, path + "/operator/"));
  } else {  // A template of the chart does not parse. Each render says which; other charts go on.
    bundle.read_keys.complete = false;
  }
  bundle.has_crds = !helm::crds_of(bundle.chart->chart()).empty();
  bundle.reads_live = reads_live(bundle);
  bundle.capability_reads = capability_reads(*bundle.chart);
  bundle.may_look_up = may_look_up(bundle);
  return bundle;
}

}  // namespace chartwright::bundle
