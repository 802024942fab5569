// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
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
    return TypeKind::kInt32OrString;
  }
  if (is(".meta.v1.Time") || is(".meta.v1.MicroTime")) {
    return TypeKind::kString;
  }
  return std::nullopt;
}

/// Returns the default of a field that identifies items of built-in kinds, which a document of
/// version 2 lacks; nil if there is none.
Value known_preset(std::string_view definition, std::string_view field) {
  struct Known {
    std::string_view definition, field, preset;
  };
  constexpr std::array kAll = {Known{".core.v1.ContainerPort", "protocol", "TCP"},
                               Known{".core.v1.ServicePort", "protocol", "TCP"},
                               Known{".core.v1.LocalObjectReference", "name", ""}};
  const auto* const found = std::ranges::find_if(kAll, [&](const Known& known) {
    return definition.ends_with(known.definition) && field == known.field;
  });
  return found != kAll.end() ? Value::string(found->preset) : Value();
}

std::vector<std::string> texts_of(const Value* list) {
  std::vector<std::string> texts;
  if (list != nullptr && list->is_list()) {
    for (const Value& text : list->as_list().items) {
      if (text.is_string()) {
        texts.push_back(text.as_string());
      }
    }
  }
  return texts;
}

/// Returns the fields that identify the items of a list, none for a set; nullopt if items may be
/// equal. Source: k8s.io/kube-openapi pkg/schemaconv/openapi.go, getListElementRelationship.
std::optional<std::vector<std::string>> keys_of(const Value& schema) {
  const std::string_view list_type = schema.string_at({"x-kubernetes-list-type"});
  if (list_type == "set") {
    return std::vector<std::string>();
  }
  if (list_type == "map") {
    std::vector<std::string> keys = texts_of(schema.find("x-kubernetes-list-map-keys"));
    return keys.empty() ? std::nullopt : std::optional(std::move(keys));
  }
  // Before Kubernetes 1.30, many lists of built-in kinds had nothing else.
  const std::string_view strategy = schema.string_at({"x-kubernetes-patch-strategy"});
  if (!list_type.empty() || (strategy != "merge" && strategy != "merge,retainKeys")) {
    return std::nullopt;
  }
  const std::string_view key = schema.string_at({"x-kubernetes-patch-merge-key"});
  return key.empty() ? std::vector<std::string>() : std::vector{std::string(key)};
}

/// Returns the only schema of an "allOf", which is how documents of version 3 add to a reference;
/// nullptr if there is none.
const Value* only_part(const Value& schema) {
  const Value* all = schema.find("allOf");
  const bool is_only = all != nullptr && all->is_list() && all->as_list().items.size() == 1;
  return is_only ? &all->as_list().items.front() : nullptr;
}

}  // namespace

/// Converts JSON schemas to types. Unlike the readers of SchemaView, it reads the dialects of
/// OpenAPI and CRDs, where a reference names a definition, which becomes a type of that name, and
/// all that counts is beside "type".
class SchemaReader {
 public:
  explicit SchemaReader(ObjectTypes& into) : into_(into) {}

  void read_definitions(const value::Dict& definitions) {
    definitions_ = &definitions;
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
    if (const Value* part = only_part(schema)) {
      return read(*part, depth + 1);
    }
    if (schema.bool_at({"x-kubernetes-int-or-string"})) {
      return static_cast<ObjectTypes::Id>(TypeKind::kIntOrString);
    }
    if (schema.string_at({"format"}) == "int-or-string") {
      return static_cast<ObjectTypes::Id>(TypeKind::kInt32OrString);
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
    const std::string_view format = schema.string_at({"format"});
    if (const auto scalar = scalars.find(type); scalar != scalars.end()) {
      TypeKind kind = scalar->second;
      if (kind == TypeKind::kString && format == "byte") {
        kind = TypeKind::kBytes;
      } else if (kind == TypeKind::kInteger && format == "int32") {
        kind = TypeKind::kInt32;
      }
      return static_cast<ObjectTypes::Id>(kind);
    }
    if (type == "array") {
      return read_list(schema, depth);
    }
    return type == "object" ? read_object(schema, depth) : 0;
  }

  ObjectTypes::Id read_list(const Value& schema, int depth) {
    const Value* items = schema.find("items");
    ObjectTypes::Type list{TypeKind::kList, items != nullptr ? read(*items, depth + 1) : 0};
    if (std::optional<std::vector<std::string>> keys = keys_of(schema)) {
      list.distinct = true;
      for (std::string& key : *keys) {
        Value preset = items != nullptr ? preset_of(*items, key) : Value();
        list.keys.push_back({std::move(key), std::move(preset)});
      }
    }
    return into_.add(std::move(list));
  }

  /// Returns the default of a field of the items with that schema, which may be a reference.
  Value preset_of(const Value& items, std::string_view field) const {
    const Value* schema = &items;
    std::string_view definition;
    for (int i = 0; i < kTypesDepthMax && schema != nullptr; ++i) {
      if (const std::string_view reference = schema->string_at({"$ref"}); !reference.empty()) {
        definition = last_part(reference);
        schema = definitions_ != nullptr ? definitions_->find(definition) : nullptr;
      } else if (const Value* part = only_part(*schema)) {
        schema = part;
      } else {
        break;
      }
    }
    const Value* preset =
        schema != nullptr ? schema->find_path({"properties", field, "default"}) : nullptr;
    return preset != nullptr ? *preset : known_preset(definition, field);
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
    type.required = texts_of(schema.find("required"));
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
  const value::Dict* definitions_ = nullptr;
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
