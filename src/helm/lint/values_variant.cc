// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/values_variant.h"

#include <algorithm>
#include <iterator>

#include "helm/chart/values_file.h"
#include "helm/lint/schema_faults.h"
#include "helm/objects/object_faults.h"
#include "helm/render/manifest.h"
#include "helm/render/rendered_names.h"
#include "helm/render/rendering.h"
#include "yaml/locate.h"
#include "yaml/yaml.h"

namespace chartwright::helm::lint {
namespace {

using value::Value;

constexpr const char* kDefaults = "values.yaml";

/// Returns a name such as "Deployment/web". Missing parts are empty.
std::string name_of(const Value& object) {
  return std::string(object.string_at({"kind"})) + "/" +
         std::string(object.string_at({"metadata", "name"}));
}

/// Returns the path of the first member, which has the place of the whole object.
std::vector<value::Path::Step> first_step(const Value& object) {
  if (!object.is_dict() || object.as_dict().empty()) {
    return {};
  }
  return {std::string(object.as_dict().begin()->first)};
}

/// Returns a path of the chart as lint names it: "templates/x.yaml".
std::string without_chart(const std::string& path) { return path.substr(path.find('/') + 1); }

Severity severity_of(ObjectFault::Reason reason) {
  using Reason = ObjectFault::Reason;
  const bool may_pass = reason == Reason::kMissingField || reason == Reason::kRepeatedKey;
  return may_pass ? Severity::kWarning : Severity::kError;
}

}  // namespace

VariantLint::VariantLint(const ChartSource& source, const helm::RenderableChart& loaded,
                         const LintInputs& inputs, const LintContext& context)
    : source_(source),
      loaded_(loaded),
      inputs_(inputs),
      context_(context),
      types_(inputs.cluster_types != nullptr ? *inputs.cluster_types : ObjectTypes::bundled()) {
  // Includes disabled dependencies, whose CRDs may have been installed in another way.
  for (const helm::Crd& crd : helm::crds_of(loaded.chart())) {
    for (const std::string& document : helm::split_manifests(crd.content)) {
      types_.add_crd(yaml::parse_yaml(document, value::Numbers::kInt64).value_or(Value()));
    }
  }
}

Messages VariantLint::run(const std::vector<CiValues>& ci) {
  lint({});
  for (const CiValues& variant : ci) {
    lint(variant);
  }
  return std::move(messages_);
}

void VariantLint::note(Severity severity, const std::string& path, const std::string& text,
                       const CiValues& variant) {
  if (is_new(path, text)) {
    report(severity, path, text, variant);
  }
}

bool VariantLint::is_new(const std::string& path, const std::string& text) {
  return seen_.insert(path + "\n" + text).second;
}

void VariantLint::report(Severity severity, const std::string& path, const std::string& text,
                         const CiValues& variant) {
  const bool names_file = variant.path.empty() || path.starts_with(variant.path);
  messages_.push_back({severity, path, names_file ? text : text + " (with " + variant.path + ")"});
}

void VariantLint::lint(const CiValues& variant) {
  const bool is_default = variant.path.empty();
  helm::RenderInputs render;
  render.values = inputs_.values.is_dict() ? inputs_.values : Value::dict();
  if (variant.values.is_dict()) {
    render.values = helm::overlay(variant.values, render.values);
  }
  render.release = {"test-release", inputs_.namespace_name, 1, helm::ReleaseAction::kInstall};
  render.schema_check = helm::SchemaCheck::kSkip;
  render.capabilities = helm::Capabilities::offline(*inputs_.profile);
  if (inputs_.kube_version) {
    render.capabilities.kube_version = *inputs_.kube_version;
  }
  render.extra = inputs_.extra;
  auto prepared = helm::prepare(loaded_, render);
  // Helm's own rules already report faults with the default values.
  const auto fail = [&](const base::Error& error) {
    if (!is_default) {
      note(Severity::kError, variant.path, error.message(), variant);
    }
  };
  if (!prepared.ok()) {
    return fail(prepared.error());
  }
  if (inputs_.schema_check == helm::SchemaCheck::kValidate && check_values(variant, *prepared)) {
    const base::Status checked = helm::check_schemas(loaded_, *prepared, render);
    if (!checked.ok()) {
      fail(checked.error());
    }
  }
  // ci/ files must set required values, but the defaults need not.
  std::vector<std::string> complaints;
  const helm::RenderContext context{context_.host, context_.clock, nullptr, context_.limits,
                                    is_default ? &complaints : nullptr};
  const auto files = helm::render_templates(loaded_, *prepared, render, context);
  if (!files.ok()) {
    return fail(files.error());
  }
  std::vector<Document> documents;
  read_documents(*files, variant, documents);
  add_crds(documents);
  std::vector<Fault> faults;
  for (const Document& document : documents) {
    std::ranges::move(faults_of(document, complaints.empty()), std::back_inserter(faults));
  }
  std::erase_if(faults, [this](const Fault& one) { return !is_new(one.document->path, one.text); });
  note_faults(faults, variant, {loaded_, render, context});
  check_names(documents, variant);
}

/// Checks the values against the chart's own schema. Returns false if they do not match.
bool VariantLint::check_values(const CiValues& variant, const helm::PreparedChart& prepared) {
  const helm::ChartContent& content = *loaded_.chart().content;
  if (!content.schema) {
    return true;
  }
  const auto schema = loaded_.schema(content);
  if (!schema.ok()) {
    return false;
  }
  std::vector<CiValues> files;
  if (!variant.path.empty()) {
    files.push_back(variant);
  }
  files.push_back({kDefaults, source_.read(kDefaults).value_or(""), Value()});
  const Messages faults = find_schema_faults(**schema, prepared.values, files);
  for (const Message& fault : faults) {
    note(fault.severity, fault.path, fault.text, variant);
  }
  return faults.empty();
}

void VariantLint::read_documents(const std::map<std::string, std::string>& files,
                                 const CiValues& variant, std::vector<Document>& into) {
  for (const auto& [full_path, text] : files) {
    if (full_path.ends_with("NOTES.txt")) {
      continue;
    }
    const std::string path = without_chart(full_path);
    for (std::string& document : helm::split_manifests(text)) {
      auto object = yaml::parse_yaml(document, value::Numbers::kInt64);
      if (object.ok()) {
        into.push_back({path, std::move(document), std::move(object).value()});
      } else if (!variant.path.empty() || path.starts_with("charts/")) {
        note(Severity::kError, path, "unable to parse YAML: " + object.error().message(), variant);
      }
    }
  }
}

void VariantLint::add_crds(const std::vector<Document>& documents) {
  for (const Document& document : documents) {
    if (document.object.string_at({"kind"}) == "CustomResourceDefinition") {
      types_.add_crd(document.object);
    }
  }
}

/// Hooks are not compared: each run of one may replace an object of the same name.
void VariantLint::check_names(const std::vector<Document>& documents, const CiValues& variant) {
  helm::RenderedNames names(inputs_.namespace_name);
  const auto check = [&](const Value& object, const std::string& path) {
    const Value* annotations = object.find_path({"metadata", "annotations"});
    if (annotations != nullptr && annotations->find("helm.sh/hook") != nullptr) {
      return;
    }
    if (const std::optional<std::string> fault = names.add(object, path)) {
      note(Severity::kError, path, *fault, variant);
    }
  };
  for (const Document& document : documents) {
    const Value* items = document.object.find("items");
    if (items == nullptr || !items->is_list()) {
      check(document.object, document.path);
      continue;
    }
    for (const Value& item : items->as_list().items) {
      check(item, document.path);
    }
  }
}

/// `is_complete` means that the render lacked no required value.
std::vector<VariantLint::Fault> VariantLint::faults_of(const Document& document, bool is_complete) {
  const Value& object = document.object;
  const std::string name = name_of(object) + ": ";
  std::vector<Fault> faults;
  const auto add = [&](ObjectFault fault) {
    faults.push_back(
        {&document, severity_of(fault.reason), name + fault.text, std::move(fault.steps)});
  };
  std::ranges::for_each(find_repeated_keys(document.text), add);
  for (ObjectFault& fault : find_object_faults(types_, object)) {
    if (is_complete || fault.reason != ObjectFault::Reason::kMissingField) {
      add(std::move(fault));
    }
  }
  if (is_complete && inputs_.check_document != nullptr) {
    if (const base::Status checked = inputs_.check_document(object); !checked.ok()) {
      faults.push_back(
          {&document, Severity::kError, checked.error().message(), first_step(object)});
    }
  }
  const std::string_view api_version = object.string_at({"apiVersion"});
  const std::string_view kind = object.string_at({"kind"});
  if (inputs_.cluster_types != nullptr && !api_version.empty() && kind != "List" &&
      types_.find(api_version, kind) == nullptr) {
    faults.push_back(
        {&document,
         Severity::kWarning,
         name + "the cluster does not know " + std::string(api_version) + " " + std::string(kind),
         {"kind"}});
  }
  return faults;
}

// The lines cost another render, which only a chart with faults needs. A document that chance had a
// part in is not found again: its faults have the file alone.
void VariantLint::note_faults(const std::vector<Fault>& faults, const CiValues& variant,
                              const helm::RenderRequest& request) {
  std::map<const Fault*, std::string> places;
  const auto visit = [&](const helm::TracedDocument& again) {
    for (const Fault& fault : faults) {
      const auto known = places.find(&fault);
      const bool is_it = known == places.end() && again.text() == fault.document->text &&
                         without_chart(again.path()) == fault.document->path;
      const auto found = is_it ? yaml::nearest_in_yaml(again.text(), fault.steps) : std::nullopt;
      if (const auto pos = found ? again.writer_of(found->pos) : std::nullopt) {
        places.emplace(&fault, without_chart(pos->to_string()));
      }
    }
  };
  if (!faults.empty()) {
    static_cast<void>(helm::trace_documents(request, visit));
  }
  for (const Fault& fault : faults) {
    const auto place = places.find(&fault);
    report(fault.severity, place == places.end() ? fault.document->path : place->second, fault.text,
           variant);
  }
}

}  // namespace chartwright::helm::lint
