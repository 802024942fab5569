// SPDX-License-Identifier: Apache-2.0
#include "chart/coalesce.h"
#include "chart/go_struct.h"
#include "chart/schema.h"
#include "lint/helm.h"
#include "value/yaml.h"

namespace chartwright::lint {
namespace {

using value::Value;

constexpr const char* kFile = "values.yaml";

/// Source: helm/helm v3 pkg/chartutil/values.go ReadValuesFile.
base::Result<Value> read_values(const ChartSource& source) {
  CW_TRY(const std::string text, source.read(kFile));
  CW_TRY(Value values, value::parse_yaml(text, value::Numbers::kFloat64));
  if (values.is_nil()) {
    return Value::dict();
  }
  return values.is_dict() ? base::Result<Value>(std::move(values))
                          : chart::wrong_top_type(values, "chartutil.Values");
}

/// The chart's own values under the user's, without those of dependencies, against its schema.
base::Status check(const ChartSource& source, const LintInputs& inputs, chart::Warnings& warnings) {
  const Value& overrides = inputs.values;
  auto defaults = read_values(source);
  if (!defaults.ok()) {
    return std::move(defaults).error().wrap("unable to parse YAML");
  }
  Value values = overrides.is_dict() ? value::deep_copy(overrides) : Value::dict();
  chart::merge_tables(values, std::move(defaults).value(), {chart::Nulls::kDelete, *inputs.profile},
                      warnings);
  const auto schema = source.read("values.schema.json");
  if (!schema.ok() || schema->empty()) {
    return {};
  }
  CW_TRY(const chart::Schema compiled, chart::Schema::compile(*schema, inputs.profile->schemas));
  return compiled.validate(values);
}

}  // namespace

void check_values_file(const ChartSource& source, const LintInputs& inputs, Messages& messages,
                       std::vector<std::string>& log) {
  if (source.entry(kFile) == ChartSource::Entry::kMissing) {
    messages.push_back({Severity::kInfo, kFile, "file does not exist"});
    return;
  }
  if (auto status = check(source, inputs, log); !status.ok()) {
    messages.push_back({Severity::kError, kFile, status.error().message()});
  }
}

}  // namespace chartwright::lint
