// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/go_struct.h"
#include "helm/lint/helm.h"
#include "helm/schema/schema.h"
#include "helm/values/coalesce.h"
#include "yaml/yaml.h"

namespace chartwright::helm::lint {
namespace {

using value::Value;

/// Source: helm/helm v3 pkg/chartutil/values.go ReadValuesFile.
base::Result<Value> read_values(const ChartSource& source) {
  CW_TRY(const std::string text, source.read(kValuesFile));
  CW_TRY(Value values, yaml::parse_yaml(text, value::Numbers::kFloat64));
  if (values.is_nil()) {
    return Value::dict();
  }
  return values.is_dict() ? base::Result<Value>(std::move(values))
                          : helm::wrong_top_type(values, "chartutil.Values");
}

/// Checks the chart's own values, overridden by the user's and without those of dependencies,
/// against its schema.
base::Status check(const ChartSource& source, const LintInputs& inputs, helm::Warnings& warnings) {
  const Value& overrides = inputs.values;
  auto defaults = read_values(source);
  if (!defaults.ok()) {
    return std::move(defaults).error().wrap("unable to parse YAML");
  }
  Value values = overrides.is_dict() ? value::deep_copy(overrides) : Value::dict();
  helm::merge_tables(values, std::move(defaults).value(), {helm::Nulls::kDelete, *inputs.profile},
                     warnings);
  const auto schema = source.read("values.schema.json");
  if (!schema.ok() || schema->empty()) {
    return {};
  }
  CW_TRY(const helm::Schema compiled,
         helm::Schema::compile(*schema, inputs.profile->schemas, inputs.schemas.elsewhere.get()));
  return compiled.validate(values);
}

}  // namespace

void check_values_file(const ChartSource& source, const LintInputs& inputs, Messages& messages,
                       std::vector<std::string>& log) {
  if (source.entry(kValuesFile) == ChartSource::Entry::kMissing) {
    messages.push_back({Severity::kInfo, kValuesFile, "file does not exist"});
    return;
  }
  if (auto status = check(source, inputs, log); !status.ok()) {
    messages.push_back({Severity::kError, kValuesFile, status.error().message()});
  }
}

}  // namespace chartwright::helm::lint
