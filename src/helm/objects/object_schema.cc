// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "helm/objects/object_types.h"
#include "value/json.h"

namespace chartwright::helm {

using value::Value;
using TypeKind = ObjectTypes::Kind;

namespace {

constexpr int kTypesDepthMax = 100;

std::string_view last_part(std::string_view reference) {
  return reference.substr(reference.rfind('/') + 1);
}

/// Returns the kind of a type of API machinery, which OpenAPI documents describe imprecisely.
std::optional<TypeKind> known_kind(std::string_view definition) {
  const auto is = [&](std::string_view suffix) { return definition.ends_with(suffix); };
  if (is(".resource.Quantity")) {
    return TypeKind::kQuantity;
  }
  if (is(".intstr.IntOrString")) {
    return TypeKind::kIntOrString;
  }
  if (is(".meta.v1.Time") || is(".meta.v1.MicroTime")) {
    return TypeKind::kString;
  }
  return std::nullopt;
}

}  // namespace

/// Converts JSON schemas to types.
class SchemaReader {
 public:
  explicit SchemaReader(ObjectTypes& into) : into_(into) {}

  void read_definitions(const value::Dict& definitions) {
    for (const auto& [name, schema] : definitions) {
      named_.emplace(name, into_.add({}));
    }
    for (const auto& [name, schema] : definitions) {
      const auto known = known_kind(name);
      const ObjectTypes::Id id = known ? static_cast<ObjectTypes::Id>(*known) : read(schema, 0);
      into_.types_[named_.at(name)] = ObjectTypes::Type(into_.types_[id]);
      name_kinds(schema, named_.at(name));
    }
  }

  ObjectTypes::Id read(const Value& schema, int depth) {
    if (depth > kTypesDepthMax || !schema.is_dict()) {
      return 0;
    }
    if (const std::string_view reference = schema.string_at({"$ref"}); !reference.empty()) {
      return referred(reference);
    }
    if (const Value* all = schema.find("allOf");
        all != nullptr && all->is_list() && all->as_list().items.size() == 1) {
      return read(all->as_list().items.front(), depth + 1);
    }
    if (schema.bool_at({"x-kubernetes-int-or-string"}) ||
        schema.string_at({"format"}) == "int-or-string") {
      return static_cast<ObjectTypes::Id>(TypeKind::kIntOrString);
    }
    if (schema.bool_at({"x-kubernetes-embedded-resource"})) {
      return 0;
    }
    return read_typed(schema, schema.string_at({"type"}), depth);
  }

 private:
  ObjectTypes::Id read_typed(const Value& schema, std::string_view type, int depth) {
    const std::map<std::string_view, TypeKind> scalars = {{"string", TypeKind::kString},
                                                          {"integer", TypeKind::kInteger},
                                                          {"number", TypeKind::kNumber},
                                                          {"boolean", TypeKind::kBoolean}};
    if (const auto scalar = scalars.find(type); scalar != scalars.end()) {
      return static_cast<ObjectTypes::Id>(scalar->second);
    }
    if (type == "array") {
      const Value* items = schema.find("items");
      const ObjectTypes::Id element = items != nullptr ? read(*items, depth + 1) : 0;
      return into_.add({TypeKind::kList, element});
    }
    return type == "object" ? read_object(schema, depth) : 0;
  }

  ObjectTypes::Id read_object(const Value& schema, int depth) {
    const Value* properties = schema.find("properties");
    const Value* others = schema.find("additionalProperties");
    if (properties == nullptr || !properties->is_dict() || properties->as_dict().empty()) {
      return others != nullptr && others->is_dict()
                 ? into_.add({TypeKind::kMap, read(*others, depth + 1)})
                 : 0;
    }
    ObjectTypes::Type type{TypeKind::kObject};
    type.open = others != nullptr || schema.bool_at({"x-kubernetes-preserve-unknown-fields"});
    for (const auto& [name, inner] : properties->as_dict()) {
      type.fields.emplace(name, read(inner, depth + 1));
    }
    if (const Value* required = schema.find("required");
        required != nullptr && required->is_list()) {
      for (const Value& name : required->as_list().items) {
        if (name.is_string()) {
          type.required.push_back(name.as_string());
        }
      }
    }
    return into_.add(std::move(type));
  }

  ObjectTypes::Id referred(std::string_view reference) const {
    const auto found = named_.find(last_part(reference));
    return found != named_.end() ? found->second : 0;
  }

  void name_kinds(const Value& schema, ObjectTypes::Id id) {
    const Value* kinds = schema.find("x-kubernetes-group-version-kind");
    if (kinds == nullptr || !kinds->is_list() || !into_.types_[id].fields.contains("metadata")) {
      return;
    }
    for (const Value& kind : kinds->as_list().items) {
      const std::string group(kind.string_at({"group"}));
      into_.name_kind((group.empty() ? "" : group + "/") + std::string(kind.string_at({"version"})),
                      std::string(kind.string_at({"kind"})), id);
    }
  }

  ObjectTypes& into_;
  std::map<std::string, ObjectTypes::Id, std::less<>> named_;
};

base::Status ObjectTypes::add_openapi(std::string_view json) {
  CW_TRY(const Value document, value::parse_json(json, value::Numbers::kFloat64));
  const Value* definitions = document.find("definitions");
  if (definitions == nullptr) {
    definitions = document.find_path({"components", "schemas"});
  }
  if (definitions == nullptr || !definitions->is_dict()) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "no OpenAPI document: it has neither definitions (version 2) nor "
                       "components.schemas (version 3)");
  }
  SchemaReader(*this).read_definitions(definitions->as_dict());
  return {};
}

void ObjectTypes::add_crd(const Value& crd) {
  const std::string group(crd.string_at({"spec", "group"}));
  const std::string kind(crd.string_at({"spec", "names", "kind"}));
  const Value* versions = crd.find_path({"spec", "versions"});
  if (group.empty() || kind.empty() || versions == nullptr || !versions->is_list()) {
    return;
  }
  const Type* config_map = find("v1", "ConfigMap");
  const Id metadata = config_map != nullptr && config_map->fields.contains("metadata")
                          ? config_map->fields.at("metadata")
                          : 0;
  for (const Value& version : versions->as_list().items) {
    const Value* schema = version.find_path({"schema", "openAPIV3Schema"});
    Type type = schema != nullptr ? at(SchemaReader(*this).read(*schema, 0)) : Type();
    if (type.kind == TypeKind::kObject) {
      type.fields["apiVersion"] = static_cast<Id>(TypeKind::kString);
      type.fields["kind"] = static_cast<Id>(TypeKind::kString);
      type.fields["metadata"] = metadata;
    }
    name_kind(group + "/" + std::string(version.string_at({"name"})), kind, add(std::move(type)));
  }
}

}  // namespace chartwright::helm
