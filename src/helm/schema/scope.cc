// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/scope.h"

#include <algorithm>

#include "value/json_pointer.h"

namespace chartwright::helm {

std::string InstancePlace::pointer() const {
  if (parent == nullptr) {
    return "";
  }
  const size_t* index = std::get_if<size_t>(&token);
  return parent->pointer() + "/" +
         (index != nullptr ? std::to_string(*index)
                           : value::escape_pointer_token(std::get<std::string_view>(token)));
}

const SchemaScope* SchemaScope::cycle() const {
  for (const SchemaScope* s = parent; s != nullptr && s->value_id == value_id; s = s->parent) {
    if (s->node == node) {
      return s;
    }
  }
  return nullptr;
}

std::string SchemaScope::keyword_location() const {
  std::string path;
  for (const SchemaScope* s = this; s->parent != nullptr; s = s->parent) {
    const std::string& own = s->node->location;
    path = (s->keyword.empty() ? own.substr(std::min(own.size(), s->parent->node->location.size()))
                               : "/" + std::string(s->keyword)) +
           path;
  }
  return path;
}

const SchemaNode* SchemaScope::outermost_recursive(const SchemaNode* fallback) const {
  for (const SchemaScope* s = this; s != nullptr; s = s->parent) {
    if (s->node->resource->recursive_anchor) {
      fallback = s->node;
    }
  }
  return fallback;
}

const SchemaNode* SchemaScope::outermost_anchor(std::string_view name,
                                                const SchemaNode* fallback) const {
  for (const SchemaScope* s = this; s != nullptr; s = s->parent) {
    const auto& anchors = s->node->resource->dynamic_anchors;
    if (const auto found = anchors.find(name); found != anchors.end()) {
      fallback = found->second;
    }
  }
  return fallback;
}

}  // namespace chartwright::helm
