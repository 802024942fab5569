// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/strings.h"
#include "bundle/chart_label.h"
#include "bundle/folder_files.h"
#include "bundle/patch_targets.h"
#include "bundle/status_fields.h"
#include "bundle/template_names.h"
#include "value/json.h"
#include "yaml/document.h"

namespace chartwright::bundle {
namespace {

using value::Value;

constexpr std::string_view kPatchesFolder = "patches/";
constexpr std::string_view kStatusFile = "status.yaml";
constexpr std::string_view kValuesFile = "values.yaml";
constexpr std::string_view kSpecSchema = "spec.schema.json";
constexpr std::string_view kStatusSchema = "status.schema.json";

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

// Reports whether a text hands on the whole custom resource, or all of its metadata.
bool mentions_whole_resource(std::string_view text) {
  constexpr std::string_view kResource = "CR";
  constexpr std::string_view kMetadata = ".metadata";
  for (size_t at = text.find(kResource); at != std::string_view::npos;
       at = text.find(kResource, at + 1)) {
    std::string_view rest = text.substr(at + kResource.size());
    if (rest.starts_with(kMetadata)) {
      rest = rest.substr(kMetadata.size());
    }
    const bool is_word = at > 0 && base::is_ascii_alphanumeric(text[at - 1]);
    if (!is_word && !rest.starts_with('.') &&
        (rest.empty() || !base::is_ascii_alphanumeric(rest.front()))) {
      return true;
    }
  }
  return false;
}

// Searches the source text, of the chart's own helpers, too: a false positive costs only memory.
bool reads_annotations(const Bundle& bundle) {
  const auto mentions = [](std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  const auto reads = [&](std::string_view text) {
    return mentions(text, "annotations") || mentions(text, "tpl") || mentions_whole_resource(text);
  };
  const auto& files = bundle.chart->operator_files();
  return std::ranges::any_of(files, [&](const auto& file) { return reads(file.second); }) ||
         (!files.empty() && std::ranges::any_of(bundle.chart->chart().content->templates,
                                                [&](const helm::File& file) {
                                                  return mentions(file.data, ".CR") &&
                                                         reads(file.data);
                                                }));
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

base::Status check_text_names(const TemplateText& text, const KnownNames& known) {
  return text.parsed ? check_names(*text.parsed, {text.pos, text.path}, known) : base::Status();
}

/// The documents that describe what templates read; nil: there is none.
struct SchemaFiles {
  Value values;
  Value spec;
  Value status;

  DataSchemas places(const Bundle& bundle) const {
    DataSchemas found;
    if (!values.is_nil()) {
      found.values.emplace(values, Unlisted::kKept);
    }
    if (!bundle.values_template) {
      found.spec = found.values;
    } else if (!spec.is_nil()) {
      found.spec.emplace(spec, Unlisted::kKept);
    }
    if (!status.is_nil()) {
      found.status.emplace(status, Unlisted::kDropped);
    }
    return found;
  }
};

using Check = base::Status (*)(const yaml::DocumentNode& root);

/// Returns the document in a file of operator/, which `check` accepts; nil if there is none.
base::Result<Value> operator_schema(const Bundle& bundle, std::string_view name,
                                    const std::string& folder, Check check = nullptr) {
  const auto& files = bundle.chart->operator_files();
  const auto found = files.find(std::string(name));
  if (found == files.end()) {
    return Value();
  }
  // JSON is YAML; this reader knows the place of an error.
  CW_TRY(const auto document, yaml::parse_document(found->second, folder + found->first));
  if (check != nullptr) {
    CW_TRY_VOID(check(document));
  }
  return yaml::document_value(document, value::Numbers::kInt64);
}

// Without one of these, the generated CRD has no field of the author.
constexpr std::array<std::string_view, 5> kFieldKeywords = {"properties", "$ref", "allOf", "anyOf",
                                                            "oneOf"};

/// Checks that the schema of the status has fields.
base::Status check_status_schema(const yaml::DocumentNode& root) {
  const std::string right = "an object with \"properties\", the fields that status.yaml writes";
  if (root.kind != yaml::DocumentNode::Kind::kMap) {
    return yaml::document_error(root, "not a schema of a status: expected " + right);
  }
  for (const yaml::DocumentEntry& entry : root.entries) {
    if (std::ranges::find(kFieldKeywords, entry.key.text) != kFieldKeywords.end()) {
      if (entry.key.text == "properties" && entry.value.kind != yaml::DocumentNode::Kind::kMap) {
        return yaml::document_error(entry.value, "expected the fields by their names");
      }
      return {};
    }
  }
  for (const yaml::DocumentEntry& entry : root.entries) {
    if (base::nearest(entry.key.text, {"properties"}) == "properties") {
      return yaml::document_error(
          entry.key, "unknown key \"" + entry.key.text + "\", did you mean \"properties\"?");
    }
  }
  return yaml::document_error(root,
                              "the schema has no fields, so that the CRD would drop all: "
                              "expected " +
                                  right);
}

base::Result<SchemaFiles> schema_files(const Bundle& bundle, const std::string& folder) {
  SchemaFiles files;
  // Each render says what is wrong with this one, as Helm does.
  const std::string& values = bundle.chart->chart().content->schema.value_or("");
  files.values = value::parse_json(values, value::Numbers::kInt64).value_or(Value());
  CW_TRY(files.spec, operator_schema(bundle, kSpecSchema, folder));
  CW_TRY(files.status, operator_schema(bundle, kStatusSchema, folder, check_status_schema));
  return files;
}

BundleNames names_of(const Bundle& bundle, const DataSchemas& schemas) {
  BundleNames names;
  names.schemas = schemas;
  for (const RelatedConfig& entry : bundle.rules.related) {
    names.related.push_back(entry.name);
  }
  for (const external::External& one : bundle.externals) {
    names.externals.push_back(one.name);
  }
  return names;
}

void check_rule_names(const Bundle& bundle, const BundleNames& names, base::Faults& faults) {
  OperatorRules rules = bundle.rules;  // Its texts are shared.
  for (RelatedConfig& related : rules.related) {
    for (const TemplateText* text : related.texts()) {
      faults.add(check_text_names(*text, names.in_related()));
    }
  }
  for (const ChildPredicates& rule : rules.predicates) {
    for (const std::optional<Predicate>& predicate : {rule.present, rule.ready}) {
      if (predicate) {
        faults.add(check_text_names(*predicate, names.in_predicates()));
      }
    }
  }
}

void check_external_names(const Bundle& bundle, const BundleNames& names, base::Faults& faults,
                          std::vector<base::Error>* doubts) {
  for (const external::External& external : bundle.externals) {
    for (const external::WrittenTemplate& one : external.templates) {
      faults.add(check_names(one.text, {one.pos, one.path}, names.in_external(one.path), doubts));
    }
  }
}

/// Returns the path of a file in errors; `folder` is that of operator/.
std::string file_of(const Bundle& bundle, const helm::OperatorTemplate& file,
                    const std::string& folder) {
  const std::string own = bundle.chart_name() + "/operator/";
  return folder + file.name().substr(own.size());
}

/// Whether the files that give names to others could be read.
enum class GivenNames : uint8_t { kKnown, kUnknown };

/// Returns a parse error in the words of Helm with the path of the file in place of the template's
/// name, which a user cannot open, and with its place only once.
base::Error in_file(const base::Error& error, const std::string& name, const std::string& path) {
  if (!error.pos() || error.pos()->file != name) {
    return error;  // In a template of the chart.
  }
  const std::string place =
      "parse error at (" + name + ":" + std::to_string(error.pos()->line) + "): ";
  std::string_view message = error.message();
  message.remove_prefix(message.starts_with(place) ? place.size() : 0);
  return base::Error(error.code(), base::replace_all(message, name, path))
      .at({path, error.pos()->line, error.pos()->column})
      .with_help(base::replace_all(error.help(), name, path));
}

/// Parses the templates of whole files. Reports whether all could be parsed.
bool parse_templates(const Bundle& bundle, const std::string& folder, base::Faults& faults) {
  const size_t before = faults.all().size();
  std::vector<helm::OperatorTemplate> files = bundle.patches;
  for (const auto* one : {&bundle.values_template, &bundle.status_template}) {
    if (*one) {
      files.push_back(**one);
    }
  }
  for (const helm::OperatorTemplate& file : files) {
    if (const base::Status parsed = file.parse(); !parsed.ok()) {
      faults.add(in_file(parsed.error(), file.name(), file_of(bundle, file, folder)));
    }
  }
  return faults.all().size() == before;
}

void check_output(const Bundle& bundle, const std::string& folder, const SchemaFiles& schemas,
                  base::Faults& faults) {
  std::vector<PatchFile> patches;
  for (const helm::OperatorTemplate& patch : bundle.patches) {
    if (patch.parse().ok()) {
      patches.push_back({patch, file_of(bundle, patch, folder)});
    }
  }
  faults.add(check_patch_targets(patches));
  if (bundle.status_template && bundle.status_template->parse().ok()) {
    faults.add(check_status_fields(*bundle.status_template, folder + std::string(kStatusFile),
                                   {schemas.status, std::string(kStatusSchema)}));
  }
}

/// `folder` begins the paths of files in errors.
void check_templates(Bundle& bundle, const std::string& folder, GivenNames given,
                     base::Faults& faults) {
  for (const TemplateText* text : texts_of(bundle.rules)) {
    faults.add(text->check());
  }
  const bool all_parse = parse_templates(bundle, folder, faults);
  auto files = schema_files(bundle, folder);
  if (!files.ok()) {
    faults.add(std::move(files).error());
    return;
  }
  DataSchemas schemas = files->places(bundle);
  schemas.usual_values = {&bundle.read_keys.defined, &bundle.read_keys.root};
  if (!bundle.values_template) {
    schemas.usual_spec = schemas.usual_values;
  }
  if (given == GivenNames::kKnown && all_parse) {
    check_names(bundle, folder, schemas, faults, &bundle.doubts);
  }
  check_output(bundle, folder, *files, faults);
  check_kinds(bundle.rules.mentions, *bundle.chart, faults);
  check_fields(bundle.rules.mentions, names_of(bundle, schemas).in_folder().below.at("CR"), faults);
  if (bundle.values_template && bundle.values_template->parse().ok()) {
    if (auto keys = keys_of_spec(*bundle.values_template); keys.ok()) {
      bundle.read_keys = *std::move(keys);
    }
  }
}

/// Reads the files that a bundle is made of. Reports whether those that give names to others, such
/// as that of `related`, could be read.
GivenNames read_files(Bundle& bundle, const std::string& folder, base::Faults& faults) {
  const size_t before = faults.all().size();
  const std::string own = bundle.chart_name() + "/operator/";
  for (const auto& [name, text] : bundle.chart->operator_files()) {
    if (name == "operator.yaml") {
      bundle.rules = parse_operator_rules(text, folder + name, faults);
      for (TemplateText* part : texts_of(bundle.rules)) {
        part->attach(bundle.chart);
      }
    } else if (name == kValuesFile) {
      bundle.values_template.emplace(bundle.chart, own + name, text);
    } else if (name == kStatusFile) {
      bundle.status_template.emplace(bundle.chart, own + name, text);
    } else if (name.starts_with(kPatchesFolder) && yaml::has_yaml_name(name)) {
      bundle.patches.emplace_back(bundle.chart, own + name, text);
    }
  }
  bundle.externals =
      external::load_externals(bundle.chart, bundle.chart->operator_files(), folder, faults);
  return faults.all().size() == before ? GivenNames::kKnown : GivenNames::kUnknown;
}

}  // namespace

void check_names(const Bundle& bundle, const std::string& folder, const DataSchemas& schemas,
                 base::Faults& faults, std::vector<base::Error>* doubts) {
  const BundleNames names = names_of(bundle, schemas);
  check_rule_names(bundle, names, faults);
  check_external_names(bundle, names, faults, doubts);
  for (const helm::OperatorTemplate& patch : bundle.patches) {
    faults.add(check_names(patch, {{file_of(bundle, patch, folder)}}, names.in_folder(), doubts));
  }
  if (bundle.values_template) {
    faults.add(check_names(*bundle.values_template, {{folder + std::string(kValuesFile)}},
                           names.in_values(), doubts));
  }
  if (bundle.status_template) {
    faults.add(check_names(*bundle.status_template, {{folder + std::string(kStatusFile)}},
                           names.in_folder(), doubts));
  }
}

bool OperatorRules::judge_children() const {
  return std::any_of(predicates.begin(), predicates.end(),
                     [](const ChildPredicates& rule) { return rule.present || rule.ready; });
}

std::vector<std::string> Bundle::unread_keys(const Value& spec) const {
  std::vector<std::string> texts;
  for (const helm::analysis::UnreadKey& key : helm::analysis::unread_keys(read_keys, spec)) {
    texts.push_back(key.to_string());
  }
  return texts;
}

Bundle load_bundle(const std::string& path, const helm::Profile& helm, helm::SchemaSources schemas,
                   base::Faults& faults) {
  Bundle bundle;
  auto chart = helm::RenderableChart::load(path, helm, std::move(schemas));
  if (!chart.ok()) {
    faults.add(std::move(chart).error());
    return bundle;
  }
  bundle.chart = *std::move(chart);
  bundle.recorded = std::make_shared<const RecordedChart>(bundle.chart);
  if (auto label = chart_label(bundle.chart_name(), path); label.ok()) {
    bundle.chart_label = *std::move(label);
  } else {
    faults.add(std::move(label).error());
  }
  const std::string folder = path + (path.ends_with('/') ? "operator/" : "/operator/");
  check_folder_files(bundle.chart->operator_files(), folder, faults);
  const GivenNames given = read_files(bundle, folder, faults);
  if (auto keys = helm::analysis::read_keys(*bundle.chart); keys.ok()) {
    bundle.read_keys = *std::move(keys);
    check_templates(bundle, folder, given, faults);
  } else {  // A template of the chart does not parse. Each render says which; other charts go on.
    bundle.read_keys.complete = false;
  }
  bundle.has_crds = !helm::crds_of(bundle.chart->chart()).empty();
  bundle.reads_live = reads_live(bundle);
  bundle.reads_annotations = reads_annotations(bundle);
  bundle.capability_reads = capability_reads(*bundle.chart);
  bundle.may_look_up = may_look_up(bundle);
  return bundle;
}

base::Result<Bundle> load_bundle(const std::string& path, const helm::Profile& helm,
                                 helm::SchemaSources schemas) {
  base::Faults faults;
  Bundle bundle = load_bundle(path, helm, std::move(schemas), faults);
  CW_TRY_VOID(faults.status());
  return bundle;
}

}  // namespace chartwright::bundle
