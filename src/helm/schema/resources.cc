// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/resources.h"

#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"
#include "go/url.h"
#include "helm/schema/graph.h"
#include "value/json_pointer.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int kDepthMax = 512;

base::Error schema_error(std::string message) {
  return base::Error(base::ErrorCode::kSchema, std::move(message));
}

std::optional<std::string_view> text_at(const Value& schema, std::string_view key) {
  const Value* found = schema.find(key);
  if (found == nullptr || !found->is_string()) {
    return std::nullopt;
  }
  return found->as_string();
}

/// Returns the draft that a "$schema" names, ignoring its fragment; nullopt if it is unknown.
std::optional<int> draft_of(std::string_view url) {
  url = url.substr(0, url.find('#'));
  for (std::string_view scheme : {"http://", "https://"}) {
    if (url.starts_with(scheme)) {
      url.remove_prefix(scheme.size());
      break;
    }
  }
  static constexpr std::array<std::pair<std::string_view, int>, 6> kDrafts = {
      {{"json-schema.org/schema", 2020},
       {"json-schema.org/draft/2020-12/schema", 2020},
       {"json-schema.org/draft/2019-09/schema", 2019},
       {"json-schema.org/draft-07/schema", 7},
       {"json-schema.org/draft-06/schema", 6},
       {"json-schema.org/draft-04/schema", 4}}};
  for (const auto& [known, draft] : kDrafts) {
    if (url == known) {
      return draft;
    }
  }
  return std::nullopt;
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

std::string schema_location(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::string_view token : base::split(pointer, '/')) {
    tokens.push_back(go::escape_path_segment(token));
  }
  return std::string(kSchemaUrl) + "#" + base::join(tokens, "/");
}

SplitUrl split_fragment(std::string_view text) {
  const size_t hash = text.find('#');
  SplitUrl split{std::string(text.substr(0, hash)), ""};
  const std::string_view raw = hash == std::string_view::npos ? "" : text.substr(hash + 1);
  for (size_t i = 0; i < raw.size(); ++i) {
    const bool escaped = raw[i] == '%' && i + 2 < raw.size();
    const int high = escaped ? base::hex_digit_value(raw[i + 1]) : -1;
    const int low = escaped ? base::hex_digit_value(raw[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      split.fragment += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      split.fragment += raw[i];
    }
  }
  return split;
}

base::Error not_loaded(const std::string& url) {
  const auto parsed = go::Url::parse(url);
  const std::string written = parsed.ok() ? parsed->to_string() : url;
  const std::string failing = "failing loading " + go::quote(url) + ": ";
  if (!parsed.ok()) {
    return schema_error(failing + parsed.error().message());
  }
  if (parsed->scheme == "file") {
    return schema_error("failing loading " + go::quote(written) + ": open " + parsed->path +
                        ": no such file or directory");
  }
  const bool is_remote = parsed->scheme == "http" || parsed->scheme == "https";
  return schema_error(failing + (is_remote ? "schemas are not loaded from elsewhere"
                                           : "no URLLoader registered for " + go::quote(written)));
}

std::string join_url(std::string_view base, std::string_view reference) {
  if (reference.empty()) {
    return std::string(base);
  }
  const size_t colon = reference.find(':');
  if (colon != std::string_view::npos && colon < reference.find('/')) {
    return std::string(reference);
  }
  const size_t authority = base.find("://");
  if (authority == std::string_view::npos) {
    return std::string(reference);
  }
  const size_t path = std::min(base.size(), base.find('/', authority + 3));
  if (reference.starts_with("//")) {
    return std::string(base.substr(0, authority + 1)) + std::string(reference);
  }
  std::string merged =
      reference.front() == '/'
          ? std::string(reference)
          : std::string(base.substr(path, base.rfind('/') + 1 - path)) + std::string(reference);
  std::vector<std::string> kept;
  for (std::string_view segment : base::split(merged, '/')) {
    if (segment == "..") {
      if (kept.size() > 1) {
        kept.pop_back();
      }
    } else if (segment != ".") {
      kept.emplace_back(segment);
    }
  }
  return std::string(base.substr(0, path)) + base::join(kept, "/");
}

base::Result<const Value*> schema_at(const Value& document, const std::string& pointer) {
  auto found = value::at_pointer(document, pointer);
  if (found.ok()) {
    return found;
  }
  const std::string at = go::quote(schema_location(pointer));
  return schema_error(found.error().code() == base::ErrorCode::kParse
                          ? "invalid json-pointer " + at
                          : "json-pointer in " + at + " not found");
}

base::Status SchemaResources::collect(const std::string& pointer) {
  if (visited_.contains(pointer)) {
    return {};
  }
  CW_TRY(const Value* schema, schema_at(document_, pointer));
  if (pointer.empty()) {
    return visit(*schema, pointer, std::string(kSchemaUrl), 2020, 0);
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
      return not_loaded(split_fragment(*url).url);
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
    return schema_error("duplicate id " + go::quote(url) + " in " + go::quote(kSchemaUrl) + " at " +
                        go::quote(pointer) + " and " + go::quote(same->pointer));
  }
  pointers_.try_emplace(url, pointer);
  return &resources_.try_emplace(pointer, SchemaResource{pointer, url, own_draft, {}, {}})
              .first->second;
}

base::Status SchemaResources::add_anchors(const Value& schema, const std::string& pointer,
                                          SchemaResource& resource) {
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
      return schema_error("duplicate anchor " + go::quote(anchor) + " in " + go::quote(kSchemaUrl) +
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
