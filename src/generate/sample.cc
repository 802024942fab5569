// SPDX-License-Identifier: Apache-2.0
#include "generate/sample.h"

#include "base/strings.h"
#include "defaults/credential.h"
#include "generate/json_schema.h"
#include "generate/yaml_text.h"

namespace chartwright::generate {
namespace {

using value::Value;
using yaml::DocumentNode;

constexpr int kSampleDepthMax = 12;

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

}  // namespace

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
