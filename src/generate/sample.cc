// SPDX-License-Identifier: Apache-2.0
#include "generate/sample.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "defaults/chart_defaults.h"
#include "defaults/credential.h"
#include "defaults/value_lines.h"
#include "generate/json_schema.h"
#include "generate/yaml_text.h"

namespace chartwright::generate {
namespace {

using value::Value;
using yaml::DocumentNode;

constexpr int kSampleDepthMax = 12;
constexpr size_t kValuesLinesMax = 200;

Yaml yaml_of(const DocumentNode& node) {
  return Yaml::of(yaml::document_value(node, value::Numbers::kInt64).value_or(Value()));
}

bool is_empty_text(const Value& value) { return value.is_string() && value.as_string().empty(); }

/// A text that must be given is hardly ever one that may be empty.
Yaml text_for(const std::string& name, const DocumentNode& schema) {
  if (text_at(schema, "format") == "date-time") {
    return Yaml::text("2026-01-01T00:00:00Z");
  }
  const bool is_free = schema.find("pattern") == nullptr && schema.find("format") == nullptr &&
                       schema.find("maxLength") == nullptr;
  const DocumentNode* shortest = schema.find("minLength");
  const bool is_filled = is_free || (shortest != nullptr && shortest->text != "0");
  return Yaml::text(is_filled && !defaults::names_credential(name) ? "example" : "");
}

/// Returns a value of the type that the schema of a field has.
Yaml placeholder(const std::string& field, const DocumentNode& schema, int depth) {
  if (const DocumentNode* usual = schema.find("default")) {
    return yaml_of(*usual);
  }
  if (const DocumentNode* allowed = schema.find("enum"); allowed && !allowed->items.empty()) {
    return yaml_of(allowed->items.front());
  }
  const std::string_view type = text_at(schema, "type");
  if (type == "object") {
    Yaml object;
    const DocumentNode* required = schema.find("required");
    const DocumentNode* properties = schema.find("properties");
    for (const DocumentNode& name : required != nullptr && depth < kSampleDepthMax
                                        ? required->items
                                        : std::vector<DocumentNode>()) {
      const DocumentNode* inner = properties != nullptr ? properties->find(name.text) : nullptr;
      object.set(name.text,
                 inner != nullptr ? placeholder(name.text, *inner, depth + 1) : Yaml::text(""));
    }
    return object;
  }
  if (type == "array") {
    return Yaml::list({});
  }
  if (type == "boolean") {
    return Yaml::of(Value::boolean(false));
  }
  if (type == "integer" || type == "number") {
    const DocumentNode* least = schema.find("minimum");
    return least != nullptr ? yaml_of(*least) : Yaml::of(Value::integer(0));
  }
  return text_for(field, schema);
}

bool is_overridden(const bundle::Watch& watch, const std::string& key) {
  return std::ranges::any_of(watch.override_values, [&key](const auto& one) {
    const std::string& path = one.first;
    return path.starts_with(key) &&
           (path.size() == key.size() ||
            std::string_view(".[").find(path[key.size()]) != std::string::npos);
  });
}

}  // namespace

std::string values_as_comments(const bundle::Watch& watch, const DocumentNode& spec) {
  if (watch.bundle.values_template) {
    return "";
  }
  const DocumentNode* fields = spec.find("properties");
  const Value values = defaults::chart_defaults(*watch.bundle.chart);
  const std::string path = base::to_lower_ascii(watch.gvk.kind) + ".spec";
  std::vector<std::string> lines;
  size_t left_out = 0;
  for (const auto& [key, value] : values.as_dict()) {
    const bool is_field = fields == nullptr || fields->find(key) != nullptr;
    if (!is_field || requires_field(spec, key) || is_overridden(watch, key)) {
      continue;
    }
    const auto added = defaults::value_lines(key, value, "kubectl explain " + path);
    if (lines.size() + added.size() > kValuesLinesMax) {
      ++left_out;
    } else {
      lines.insert(lines.end(), added.begin(), added.end());
    }
  }
  if (left_out > 0) {
    lines.push_back("and " + std::to_string(left_out) + " more: kubectl explain " + path);
  }
  std::string text = lines.empty() ? "" : "  # What the chart has by default. Set what differs:\n";
  for (const std::string& line : lines) {
    text += "  #" + (line.empty() ? "" : " " + line) + "\n";
  }
  return text;
}

std::string sample_of(const bundle::Watch& watch, const DocumentNode& spec, size_t ordinal) {
  Yaml sample;
  sample.set("apiVersion", watch.gvk.api_version()).set("kind", watch.gvk.kind);
  const std::string name = base::to_lower_ascii(watch.gvk.kind) + "-sample";
  sample.set("metadata",
             Yaml().set("name", ordinal > 1 ? name + "-" + std::to_string(ordinal) : name));
  Yaml fields;
  const DocumentNode* required = spec.find("required");
  const DocumentNode* properties = spec.find("properties");
  for (const DocumentNode& field :
       required != nullptr ? required->items : std::vector<DocumentNode>()) {
    const Value* usual = watch.bundle.chart->chart().values.find(field.text);
    const DocumentNode* schema = properties != nullptr ? properties->find(field.text) : nullptr;
    if (usual != nullptr && !usual->is_nil() && !is_empty_text(*usual)) {
      fields.set(field.text,
                 Yaml::of(defaults::without_credentials(defaults::secrecy_of(field.text), *usual)));
    } else {
      fields.set(field.text,
                 schema != nullptr ? placeholder(field.text, *schema, 0) : Yaml::text(""));
    }
  }
  return sample.set("spec", fields).to_string();
}

}  // namespace chartwright::generate
