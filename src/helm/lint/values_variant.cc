// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/values_variant.h"

#include "base/strings.h"
#include "helm/chart/values_file.h"
#include "helm/lint/schema_faults.h"
#include "helm/render/manifest.h"
#include "helm/render/rendering.h"
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

Severity severity_of(ObjectFault::Reason reason) {
  const bool is_refused =
      reason == ObjectFault::Reason::kUnknownField || reason == ObjectFault::Reason::kWrongType;
  return is_refused ? Severity::kError : Severity::kWarning;
}

}  // namespace

VariantLint::VariantLint(const ChartSource& source, const helm::RenderableChart& bundle,
                         const LintInputs& inputs, const LintContext& context)
    : source_(source),
      bundle_(bundle),
      inputs_(inputs),
      context_(context),
      types_(inputs.cluster_types != nullptr ? *inputs.cluster_types : ObjectTypes::bundled()) {
  // Includes disabled dependencies, whose CRDs may have been installed in another way.
  for (const helm::Crd& crd : helm::crds_of(bundle.chart())) {
    for (const std::string& document : helm::split_manifests(crd.content)) {
      types_.add_crd(yaml::parse_yaml(document, value::Numbers::kInt64).value_or(Value()));
    }
  }
}

Messages VariantLint::run(const std::vector<CiValues>& ci) {
  lint({});
  for (const CiValues& branch : ci) {
    lint(branch);
  }
  return std::move(messages_);
}

void VariantLint::note(Severity severity, const std::string& path, const std::string& text,
                       const CiValues& branch) {
  if (seen_.insert(path + "\n" + text).second) {
    const bool says_so = branch.path.empty() || path.starts_with(branch.path);
    messages_.push_back({severity, path, says_so ? text : text + " (with " + branch.path + ")"});
  }
}

void VariantLint::lint(const CiValues& branch) {
  const bool is_default = branch.path.empty();
  helm::RenderInputs render;
  render.values = inputs_.values.is_dict() ? inputs_.values : Value::dict();
  if (branch.values.is_dict()) {
    render.values = helm::overlay(branch.values, render.values);
  }
  render.release = {"test-release", inputs_.namespace_name, 1, helm::ReleaseAction::kInstall};
  render.schema_check = helm::SchemaCheck::kSkip;
  render.capabilities = helm::Capabilities::offline(*inputs_.profile);
  if (inputs_.kube_version) {
    render.capabilities.kube_version = *inputs_.kube_version;
  }
  auto prepared = helm::prepare(bundle_, render);
  // Helm's own rules already report faults with the default values.
  const auto fail = [&](const base::Error& error) {
    if (!is_default) {
      note(Severity::kError, branch.path, error.message(), branch);
    }
  };
  if (!prepared.ok()) {
    return fail(prepared.error());
  }
  if (inputs_.schema_check == helm::SchemaCheck::kValidate && check_values(branch, *prepared)) {
    const base::Status checked = helm::check_schemas(bundle_, *prepared, render);
    if (!checked.ok()) {
      fail(checked.error());
    }
  }
  // ci/ files must set required values, but the defaults need not.
  std::vector<std::string> complaints;
  const auto files = helm::render_templates(bundle_, *prepared, render,
                                            {context_.host, context_.clock, nullptr,
                                             context_.limits, is_default ? &complaints : nullptr});
  if (!files.ok()) {
    return fail(files.error());
  }
  std::vector<Document> documents;
  read_documents(*files, branch, documents);
  add_crds(documents);
  for (const Document& document : documents) {
    check_document(document, branch, complaints.empty());
  }
}

/// Checks the values against the chart's own schema. Returns false if they do not match.
bool VariantLint::check_values(const CiValues& branch, const helm::PreparedChart& prepared) {
  const helm::ChartContent& content = *bundle_.chart().content;
  if (!content.schema) {
    return true;
  }
  const auto schema = bundle_.schema(content);
  if (!schema.ok()) {
    return false;
  }
  std::vector<CiValues> files;
  if (!branch.path.empty()) {
    files.push_back(branch);
  }
  files.push_back({kDefaults, source_.read(kDefaults).value_or(""), Value()});
  const Messages faults = find_schema_faults(**schema, prepared.values, files);
  for (const Message& fault : faults) {
    note(fault.severity, fault.path, fault.text, branch);
  }
  return faults.empty();
}

void VariantLint::read_documents(const std::map<std::string, std::string>& files,
                                 const CiValues& branch, std::vector<Document>& into) {
  for (const auto& [full_path, text] : files) {
    if (full_path.ends_with("NOTES.txt")) {
      continue;
    }
    const std::string path = full_path.substr(full_path.find('/') + 1);
    for (std::string& document : helm::split_manifests(text)) {
      auto object = yaml::parse_yaml(document, value::Numbers::kInt64);
      if (object.ok()) {
        into.push_back({path, std::move(document), std::move(object).value()});
      } else if (!branch.path.empty() || path.starts_with("charts/")) {
        note(Severity::kError, path, "unable to parse YAML: " + object.error().message(), branch);
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

/// `is_whole` means that no required value was missing in the render.
void VariantLint::check_document(const Document& document, const CiValues& branch, bool is_whole) {
  const Value& object = document.object;
  const std::string name = name_of(object) + ": ";
  for (const ObjectFault& fault : find_repeated_keys(document.text)) {
    note(severity_of(fault.reason), document.path, name + fault.text, branch);
  }
  for (const ObjectFault& fault : find_object_faults(types_, object)) {
    if (is_whole || fault.reason != ObjectFault::Reason::kMissingField) {
      note(severity_of(fault.reason), document.path, name + fault.text, branch);
    }
  }
  const std::string_view api_version = object.string_at({"apiVersion"});
  const std::string_view kind = object.string_at({"kind"});
  if (inputs_.cluster_types != nullptr && !api_version.empty() && kind != "List" &&
      types_.find(api_version, kind) == nullptr) {
    note(Severity::kWarning, document.path,
         name + "the cluster does not know " + std::string(api_version) + " " + std::string(kind),
         branch);
  }
}

}  // namespace chartwright::helm::lint
