// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/resources.h"

#include <array>
#include <optional>

#include "base/strings.h"
#include "go/quote.h"
#include "go/url.h"
#include "helm/schema/reference.h"
#include "value/json_pointer.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int kDepthMax = 512;

base::Error resource_error(std::string message) {
  return base::Error(base::ErrorCode::kSchema, std::move(message));
}

std::optional<std::string_view> text_at(const Value& schema, std::string_view key) {
  const Value* found = schema.find(key);
  if (found == nullptr || !found->is_string()) {
    return std::nullopt;
  }
  return found->as_string();
}

/// Returns a schema's own identifier without fragment. Before draft 2019-09 a $ref hides it.
std::string own_id(const Value& schema, int draft) {
  if (draft < 2019 && schema.find("$ref") != nullptr) {
    return "";
  }
  return split_fragment(text_at(schema, draft == 4 ? "id" : "$id").value_or("")).url;
}

enum class Place : uint8_t { kSchema, kEach };  ///< One schema, or a map or list of schemas.

struct SubschemaKeyword {
  std::string_view name;
  Place place;
  int since;
};

/// The keywords that contain subschemas, with the draft that introduced each.
constexpr std::array<SubschemaKeyword, 23> kSubschemas = {{
    {"definitions", Place::kEach, 4},
    {"not", Place::kSchema, 4},
    {"allOf", Place::kEach, 4},
    {"anyOf", Place::kEach, 4},
    {"oneOf", Place::kEach, 4},
    {"properties", Place::kEach, 4},
    {"additionalProperties", Place::kSchema, 4},
    {"patternProperties", Place::kEach, 4},
    {"items", Place::kSchema, 4},
    {"items", Place::kEach, 4},
    {"additionalItems", Place::kSchema, 4},
    {"dependencies", Place::kEach, 4},
    {"propertyNames", Place::kSchema, 6},
    {"contains", Place::kSchema, 6},
    {"if", Place::kSchema, 7},
    {"then", Place::kSchema, 7},
    {"else", Place::kSchema, 7},
    {"$defs", Place::kEach, 2019},
    {"dependentSchemas", Place::kEach, 2019},
    {"unevaluatedProperties", Place::kSchema, 2019},
    {"unevaluatedItems", Place::kSchema, 2019},
    {"contentSchema", Place::kSchema, 2019},
    {"prefixItems", Place::kEach, 2020},
}};

}  // namespace

std::string SchemaResources::location(std::string_view pointer) const {
  std::vector<std::string> tokens;
  for (std::string_view token : base::split(pointer, '/')) {
    tokens.push_back(go::escape_path_segment(token));
  }
  return url_ + "#" + base::join(tokens, "/");
}

base::Result<const Value*> SchemaResources::schema_at(const std::string& pointer) const {
  auto found = value::at_pointer(document_, pointer);
  if (found.ok()) {
    return found;
  }
  const std::string at = go::quote(location(pointer));
  return resource_error(found.error().code() == base::ErrorCode::kParse
                            ? "invalid json-pointer " + at
                            : "json-pointer in " + at + " not found");
}

base::Status SchemaResources::collect(const std::string& pointer) {
  if (visited_.contains(pointer)) {
    return {};
  }
  CW_TRY(const Value* schema, schema_at(pointer));
  if (pointer.empty()) {
    return visit(*schema, pointer, url_, 2020, 0);
  }
  const SchemaResource& around = of(pointer);
  return visit(*schema, pointer, around.id, around.draft, 0);
}

const SchemaResource* SchemaResources::at(std::string_view pointer) const {
  const auto found = resources_.find(pointer);
  return found != resources_.end() ? &found->second : nullptr;
}

const SchemaResource& SchemaResources::of(std::string_view pointer) const {
  while (true) {
    if (const auto found = resources_.find(pointer); found != resources_.end()) {
      return found->second;
    }
    const size_t slash = pointer.rfind('/');
    pointer = slash == std::string_view::npos ? std::string_view() : pointer.substr(0, slash);
  }
}

const SchemaResource* SchemaResources::find(std::string_view id) const {
  const auto pointer = pointers_.find(id);
  return pointer != pointers_.end() ? at(pointer->second) : nullptr;
}

base::Result<SchemaResource*> SchemaResources::own_resource(const Value& schema,
                                                            const std::string& pointer,
                                                            const std::string& base_url,
                                                            int draft) {
  int own_draft = draft;
  if (const auto url = text_at(schema, "$schema")) {
    const auto known = draft_of(*url);
    if (!known && pointer.empty()) {
      return unknown_draft(split_fragment(*url).url);
    }
    own_draft = known.value_or(draft);
  }
  std::string id = own_id(schema, own_draft);
  if (id.empty() && !pointer.empty()) {
    id = own_id(schema, draft);  // "$schema" counts only together with an identifier
    own_draft = draft;
  }
  if (id.empty() && !pointer.empty()) {
    return nullptr;
  }
  const std::string url = id.empty() ? base_url : join_url(base_url, id);
  if (const SchemaResource* same = find(url); same != nullptr && same->pointer != pointer) {
    return resource_error("duplicate id " + go::quote(url) + " in " + go::quote(url_) + " at " +
                          go::quote(pointer) + " and " + go::quote(same->pointer));
  }
  pointers_.try_emplace(url, pointer);
  return &resources_.try_emplace(pointer, SchemaResource{pointer, url, own_draft, {}, {}})
              .first->second;
}

base::Status SchemaResources::add_anchors(const Value& schema, const std::string& pointer,
                                          SchemaResource& resource) const {
  std::vector<std::string> anchors;
  if (resource.draft < 2019) {
    if (schema.find("$ref") != nullptr) {
      return {};
    }
    const std::string fragment =
        split_fragment(text_at(schema, resource.draft == 4 ? "id" : "$id").value_or("")).fragment;
    if (!fragment.empty() && fragment.front() != '/') {
      anchors.push_back(fragment);
    }
  } else if (const auto anchor = text_at(schema, "$anchor")) {
    anchors.emplace_back(*anchor);
  }
  if (resource.draft >= 2020) {
    if (const auto anchor = text_at(schema, "$dynamicAnchor")) {
      anchors.emplace_back(*anchor);
      resource.dynamic_anchors.emplace(*anchor);
    }
  }
  for (std::string& anchor : anchors) {
    const auto [entry, added] = resource.anchors.try_emplace(anchor, pointer);
    if (!added && entry->second != pointer) {
      return resource_error("duplicate anchor " + go::quote(anchor) + " in " + go::quote(url_) +
                            " at " + go::quote(entry->second) + " and " + go::quote(pointer));
    }
  }
  return {};
}

base::Status SchemaResources::visit(const Value& schema, const std::string& pointer,
                                    const std::string& base_url, int draft, int depth) {
  if (!visited_.insert(pointer).second) {
    return {};
  }
  if (depth > kDepthMax) {
    return base::Error(base::ErrorCode::kBudget, "values.schema.json is nested too deeply");
  }
  if (!schema.is_dict()) {
    if (pointer.empty()) {
      pointers_.try_emplace(base_url, pointer);
      resources_.try_emplace(pointer, SchemaResource{pointer, base_url, draft, {}, {}});
    }
    return {};
  }
  CW_TRY(SchemaResource * own, own_resource(schema, pointer, base_url, draft));
  if (own == nullptr) {
    // Inside another resource; std::map keeps its elements in place.
    own = &resources_.find(of(pointer).pointer)->second;
  }
  CW_TRY_VOID(add_anchors(schema, pointer, *own));
  return visit_children(schema, pointer, *own, depth);
}

base::Status SchemaResources::visit_children(const Value& schema, const std::string& pointer,
                                             const SchemaResource& resource, int depth) {
  for (const SubschemaKeyword& keyword : kSubschemas) {
    const Value* found = keyword.since <= resource.draft ? schema.find(keyword.name) : nullptr;
    if (found == nullptr) {
      continue;
    }
    const std::string at = pointer + "/" + std::string(keyword.name);
    if (keyword.place == Place::kSchema) {
      if (found->is_dict() || found->is_bool()) {
        CW_TRY_VOID(visit(*found, at, resource.id, resource.draft, depth + 1));
      }
    } else if (found->is_list()) {
      size_t index = 0;
      for (const Value& item : found->as_list().items) {
        CW_TRY_VOID(visit(item, at + "/" + std::to_string(index++), resource.id, resource.draft,
                          depth + 1));
      }
    } else if (found->is_dict() && keyword.name != "items") {
      for (const auto& [name, item] : found->as_dict()) {
        CW_TRY_VOID(visit(item, at + "/" + value::escape_pointer_token(name), resource.id,
                          resource.draft, depth + 1));
      }
    }
  }
  return {};
}

}  // namespace chartwright::helm
