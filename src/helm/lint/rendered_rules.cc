// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "go/path.h"
#include "go/quote.h"
#include "helm/chart/document_reader.h"
#include "helm/chart/go_struct.h"
#include "helm/lint/helm.h"
#include "helm/objects/deprecation.h"
#include "helm/render/object_name.h"
#include "helm/render/rendering.h"
#include "helm/values/coalesce.h"
#include "helm/values/dependencies.h"
#include "yaml/yaml.h"

namespace chartwright::helm::lint {
namespace {

using value::Value;

constexpr const char* kFolder = "templates/";
/// The longest line that Go's line scanner accepts.
constexpr size_t kLineBytesMax = size_t{64} << 10;

/// The fields of a rendered object that the rules read.
struct ObjectHead {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string namespace_name;
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Matches `"?helm\.sh/hook"?:\s+crd-install`.
bool has_crd_hook(std::string_view text) {
  constexpr std::string_view kHook = "helm.sh/hook";
  for (size_t at = text.find(kHook); at != text.npos; at = text.find(kHook, at + 1)) {
    std::string_view rest = text.substr(at + kHook.size());
    rest.remove_prefix(rest.starts_with('"') ? 1 : 0);
    if (!rest.starts_with(':')) {
      continue;
    }
    const size_t end = std::min(rest.find_first_not_of("\t\n\f\r ", 1), rest.size());
    if (end > 1 && rest.substr(end).starts_with("crd-install")) {
      return true;
    }
  }
  return false;
}

void check_template_file(const helm::File& file, Messages& messages) {
  const std::string_view extension = go::extension(file.name);
  constexpr std::array<std::string_view, 4> kAllowed = {".yaml", ".yml", ".tpl", ".txt"};
  if (std::find(kAllowed.begin(), kAllowed.end(), extension) == kAllowed.end()) {
    messages.push_back({Severity::kError, file.name,
                        "file extension '" + std::string(extension) +
                            "' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt"});
  }
  if (has_crd_hook(file.data)) {
    messages.push_back({Severity::kWarning, file.name,
                        "manifest is a crd-install hook. This hook is no longer supported in v3 "
                        "and all CRDs should also exist the crds/ directory at the top level of "
                        "the chart"});
  }
  if (contains(file.data, ".Release.Time")) {
    messages.push_back({Severity::kError, file.name,
                        ".Release.Time has been removed in v3, please replace with the `now` "
                        "function in your templates"});
  }
}

/// Checks that the first line that is not blank is not indented.
std::optional<std::string> indent_fault(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.size() >= kLineBytesMax) {
      return "bufio.Scanner: token too long";
    }
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    if (base::trim(line).empty()) {
      continue;
    }
    if (line.front() == ' ' || line.front() == '\t') {
      return "document starts with an illegal indent: " + go::quote(line) +
             ", which may cause parsing problems";
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// Decodes the head of a document; nullopt if the document is null. Error: kParse.
base::Result<std::optional<ObjectHead>> read_head(const std::string& document) {
  CW_TRY(const Value v, yaml::parse_yaml(document, value::Numbers::kInt64));
  if (v.is_nil()) {
    return std::optional<ObjectHead>();
  }
  using Decoder = helm::StructDecoder;
  ObjectHead head;
  const std::array metadata = {
      Decoder::Field{"Namespace",
                     [&](Decoder& d, const Value& m) { d.string(m, head.namespace_name); }},
      Decoder::Field{"Name", [&](Decoder& d, const Value& m) { d.string(m, head.name); }},
  };
  const std::array fields = {
      Decoder::Field{"apiVersion",
                     [&](Decoder& d, const Value& m) { d.string(m, head.api_version); }},
      Decoder::Field{"Kind", [&](Decoder& d, const Value& m) { d.string(m, head.kind); }},
      Decoder::Field{"Metadata",
                     [&](Decoder& d, const Value& m) {
                       d.object(m, {"k8sYamlMetadata", "rules.k8sYamlMetadata"}, metadata);
                     }},
  };
  Decoder decoder;
  decoder.object(v, {"K8sYamlStruct", "rules.K8sYamlStruct"}, fields);
  CW_TRY_VOID(decoder.status());
  return std::optional(std::move(head));
}

std::optional<std::string> selector_fault(const ObjectHead& head, std::string_view file) {
  constexpr std::array<std::string_view, 4> kKinds = {"Deployment", "ReplicaSet", "DaemonSet",
                                                      "StatefulSet"};
  if (std::find(kKinds.begin(), kKinds.end(), head.kind) == kKinds.end() ||
      contains(file, "matchLabels") || contains(file, "matchExpressions")) {
    return std::nullopt;
  }
  return "a " + head.kind + " must contain matchLabels or matchExpressions, and " +
         go::quote(head.name) + " does not";
}

/// Checks for resource policies on the items of a List, which are ignored.
std::optional<std::string> list_fault(const ObjectHead& head, const std::string& file) {
  if (head.kind != "List") {
    return std::nullopt;
  }
  const auto document = yaml::parse_yaml(file, value::Numbers::kInt64);
  if (!document.ok()) {
    return "unable to parse YAML: " + document.error().message();
  }
  using Decoder = helm::StructDecoder;
  Value annotations;
  bool found = false;
  const std::array metadata = {Decoder::Field{
      "Annotations", [&](Decoder& d, const Value& m) { d.string_map(m, annotations); }}};
  const std::array item = {Decoder::Field{"Metadata", [&](Decoder& d, const Value& m) {
                                            d.object(m,
                                                     {"",
                                                      "struct { Annotations map[string]string "
                                                      "}"},
                                                     metadata);
                                          }}};
  constexpr std::string_view kItem = "struct { Metadata struct { Annotations map[string]string } }";
  const std::string list = "[]" + std::string(kItem);
  const std::string whole = "struct { Items " + list + " }";
  const std::array fields = {
      Decoder::Field{"Items", [&](Decoder& d, const Value& items) {
                       d.list(items, list, [&](Decoder& inner, const Value& each) {
                         annotations = Value();
                         inner.object(each, {"", kItem}, item);
                         found = found || annotations.find("helm.sh/resource-policy") != nullptr;
                       });
                     }}};
  Decoder decoder;
  decoder.object(*document, {"", whole}, fields);
  if (auto status = decoder.status(); !status.ok()) {
    return "unable to parse YAML: " + status.error().message();
  }
  if (found) {
    return "Annotation 'helm.sh/resource-policy' within List objects are ignored";
  }
  return std::nullopt;
}

enum class Outcome : uint8_t { kGoOn, kStop };

/// Checks every document of a rendered file. Stops all checks at a document that is not YAML.
Outcome check_rendered(const std::string& path, const std::string& text,
                       const helm::KubeVersion& version, Messages& messages) {
  const auto note = [&](Severity severity, const std::optional<std::string>& fault) {
    if (fault) {
      messages.push_back({severity, path, *fault});
    }
  };
  note(Severity::kWarning, indent_fault(text));
  helm::DocumentReader documents(text);
  while (true) {
    auto document = documents.next();
    if (document.ok() && !document->has_value()) {
      return Outcome::kGoOn;
    }
    const auto head = document.ok() ? read_head((*document)->text) : document.error();
    if (!head.ok()) {
      note(Severity::kError, "unable to parse YAML: " + head.error().message());
      return Outcome::kStop;
    }
    if (head->has_value()) {
      const ObjectHead& object = **head;
      note(Severity::kWarning, object_name_fault(object.kind, object.name));
      note(Severity::kWarning, deprecation_of(object.api_version, object.kind, version));
      note(Severity::kError, selector_fault(object, text));
      note(Severity::kError, list_fault(object, text));
    }
  }
}

helm::RenderInputs render_inputs(const LintInputs& inputs, Value values) {
  helm::RenderInputs render;
  render.values = std::move(values);
  render.release = {"test-release", inputs.namespace_name, 0, helm::ReleaseAction::kNothing};
  render.schema_check = inputs.schema_check;
  render.capabilities = helm::Capabilities::offline(*inputs.profile);
  if (inputs.kube_version) {
    render.capabilities.kube_version = *inputs.kube_version;
  }
  render.extra = inputs.extra;
  return render;
}

/// Merges the values over the defaults. Helm does so twice, so that nulls remove nothing. An error
/// in the first merge ends its linting silently.
base::Result<Value> merged_values(const helm::RenderableChart& loaded, const LintInputs& inputs,
                                  helm::Warnings& warnings) {
  CW_TRY(const helm::Chart chart,
         helm::process_dependencies(loaded.chart(), inputs.values, loaded.profile(),
                                    loaded.caches().constraints, warnings));
  return helm::coalesce_values(chart, inputs.values, {helm::Nulls::kDelete, loaded.profile()},
                               warnings);
}

}  // namespace

void check_templates(const ChartSource& source, const ChartOrError& loaded,
                     const LintInputs& inputs, const LintContext& context, Messages& messages) {
  const auto fail = [&](const std::string& text) {
    messages.push_back({Severity::kError, kFolder, text});
  };
  if (source.entry("templates") == ChartSource::Entry::kFile) {
    messages.push_back({Severity::kWarning, kFolder, "not a directory"});
    return;
  }
  if (!loaded.ok()) {
    return fail(loaded.error().message());
  }
  auto values = merged_values(**loaded, inputs, context.log);
  if (!values.ok()) {
    return;
  }
  const helm::RenderInputs render = render_inputs(inputs, std::move(values).value());
  const auto prepared = helm::prepare(**loaded, render);
  if (!prepared.ok()) {
    return fail(prepared.error().message());
  }
  const auto files =
      helm::render_templates(**loaded, *prepared, render,
                             {context.host, context.clock, nullptr, context.limits, &context.log});
  if (!files.ok()) {
    return fail(files.error().message());
  }
  for (const helm::File& file : prepared->chart.content->templates) {
    check_template_file(file, messages);
    const auto rendered = files->find(go::join_path(prepared->chart.name(), file.name));
    if (go::extension(file.name) == ".yaml" && rendered != files->end() &&
        !base::trim(rendered->second).empty() &&
        check_rendered(file.name, rendered->second, render.capabilities.kube_version, messages) ==
            Outcome::kStop) {
      return;
    }
  }
}

}  // namespace chartwright::helm::lint
