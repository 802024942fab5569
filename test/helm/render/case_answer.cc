// SPDX-License-Identifier: Apache-2.0
#include "test/helm/render/case_answer.h"

#include <vector>

#include "helm/chart/values_file.h"
#include "test/helm/render/helm_case.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr const char* kTemplate = "templates/case.yaml";
constexpr const char* kDefaultMetadata = "apiVersion: v2\nname: case\nversion: 0.1.0\n";

std::vector<File> files_of(const cases::Case& c) {
  std::vector<File> files;
  bool has_metadata = false;
  for (const cases::Section& section : c.sections) {
    if (section.name == "file") {
      has_metadata = has_metadata || section.arg == "Chart.yaml";
      files.push_back({section.arg, section.text});
    } else if (section.name == "template") {
      files.push_back({kTemplate, section.text});
    }
  }
  if (!has_metadata) {
    files.push_back({"Chart.yaml", kDefaultMetadata});
  }
  return files;
}

/// Returns the values sections as separate layers, named by the text after the section's name.
std::vector<ValueLayer> layers_of(const cases::Case& c, const Profile& profile) {
  std::vector<ValueLayer> layers;
  for (const cases::Section& section : c.sections) {
    auto values = decode_values_file(section.text, profile.values);
    if (section.name == "values" && values.ok()) {
      layers.push_back({section.arg, *std::move(values), section.text, ""});
    }
  }
  return layers;
}

/// Merges the values sections like several -f files.
base::Result<Value> values_of(const cases::Case& c, const Profile& profile) {
  Value values = Value::dict();
  for (const cases::Section& section : c.sections) {
    if (section.name == "values" || section.name == "data") {
      CW_TRY(const Value part, section.name == "values"
                                   ? decode_values_file(section.text, profile.values)
                                   : yaml::parse_yaml(section.text, value::Numbers::kInt64));
      if (part.is_dict()) {
        values = overlay(values, part);
      }
    }
  }
  return values;
}

}  // namespace

base::Result<std::string> answer_case(const cases::Case& c, const Profile& profile,
                                      const base::BudgetLimits& limits,
                                      const SchemaSources& schemas) {
  HelmCase inputs(profile);
  inputs.limits = limits;
  CW_TRY(inputs.loaded, RenderableChart::from_files(files_of(c), profile, schemas));
  CW_TRY(inputs.inputs.values, values_of(c, profile));
  inputs.layers = layers_of(c, profile);
  if (const std::string* flags = c.find("flags")) {
    CW_TRY_VOID(apply_flags(*flags, inputs));
  }
  inputs.inputs.layers = [layers = inputs.layers] { return layers; };
  return c.find("template") != nullptr
             ? render_case_file(inputs, inputs.loaded->chart().name() + "/" + kTemplate)
             : print_case(inputs);
}

}  // namespace chartwright::helm
