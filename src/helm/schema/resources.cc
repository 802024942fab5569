// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/resources.h"

#include <optional>

#include "base/strings.h"
#include "go/quote.h"
#include "go/url.h"
#include "helm/schema/reference.h"
#include "helm/schema/subschemas.h"
#include "value/json_pointer.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr int kDepthMax = 512;

base::Error resource_error(std::string message) {
  return base::Error(base::ErrorCode::kSchema, std::move(message));
}

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
  const bool is_root = pointer.empty();
  const auto named = is_root ? schema_text(schema, "$schema") : std::nullopt;
  if (named && !draft_of(*named)) {
    return unknown_draft(split_fragment(*named).url);
  }
  const auto [id, own_draft] = identity_of(schema, is_root ? std::nullopt : std::optional(draft));
  if (id.empty() && !is_root) {
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
  if (const auto anchor = schema_text(schema, "$dynamicAnchor"); anchor && resource.draft >= 2020) {
    resource.dynamic_anchors.emplace(*anchor);
  }
  for (const std::string& anchor : anchors_of(schema, resource.draft)) {
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
  base::Status status;
  for_each_subschema(
      schema, own->draft,
      [&](const Value& below, const SubschemaKeyword& /*keyword*/, const std::string& at) {
        if (status.ok()) {
          status = visit(below, pointer + at, own->id, own->draft, depth + 1);
        }
      });
  return status;
}

}  // namespace chartwright::helm
