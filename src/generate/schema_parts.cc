// SPDX-License-Identifier: Apache-2.0
#include "generate/schema_parts.h"

#include <algorithm>
#include <set>
#include <string>

#include "generate/json_schema.h"

namespace chartwright::generate {

using yaml::DocumentNode;

const std::vector<DocumentNode>& items_at(const DocumentNode& schema, std::string_view key) {
  static const std::vector<DocumentNode> none;
  const DocumentNode* list = schema.find(key);
  return list != nullptr ? list->items : none;
}

const std::vector<yaml::DocumentEntry>& entries_at(const DocumentNode& schema,
                                                   std::string_view key) {
  static const std::vector<yaml::DocumentEntry> none;
  const DocumentNode* map = schema.find(key);
  return map != nullptr ? map->entries : none;
}

bool allows_int_or_string(const DocumentNode& schema) {
  for (std::string_view key : {"anyOf", "oneOf"}) {
    const DocumentNode* choices = schema.find(key);
    if (choices == nullptr || choices->items.size() != 2) {
      continue;
    }
    std::vector<std::string> names;
    for (const DocumentNode& choice : choices->items) {
      const SchemaTypes types = types_of(choice);
      names.insert(names.end(), types.names.begin(), types.names.end());
    }
    std::sort(names.begin(), names.end());
    if (names == std::vector<std::string>{"integer", "string"}) {
      return true;
    }
  }
  return false;
}

std::vector<const DocumentNode*> tables_of_all(const DocumentNode& schema,
                                               const DocumentNode& root) {
  std::vector<const DocumentNode*> parts;
  for (const DocumentNode& part : items_at(schema, "allOf")) {
    const DocumentNode* inner = resolved(part, root);
    if (inner != nullptr && inner->kind == DocumentNode::Kind::kMap) {
      parts.push_back(inner);
    }
  }
  return parts;
}

namespace {

constexpr int kDepthMax = 40;

/// Returns the schemas one level below a schema that a CRD has a place for.
std::vector<const DocumentNode*> schemas_below(const DocumentNode& schema,
                                               const DocumentNode& root) {
  std::vector<const DocumentNode*> below;
  const SchemaTypes types = types_of(schema);
  if (types.names.size() != 1 || allows_int_or_string(schema)) {
    return below;
  }
  const auto add_table = [&](std::string_view key) {
    const DocumentNode* found = schema.find(key);
    if (found != nullptr && found->kind == DocumentNode::Kind::kMap) {
      below.push_back(found);
    }
  };
  if (types.names.front() == "array") {
    add_table("items");
  } else if (types.names.front() == "object") {
    std::vector<const DocumentNode*> all = tables_of_all(schema, root);
    all.insert(all.begin(), &schema);
    std::set<std::string_view> names;
    for (const DocumentNode* part : all) {
      for (const yaml::DocumentEntry& entry : entries_at(*part, "properties")) {
        if (names.insert(entry.key.text).second) {
          below.push_back(&entry.value);
        }
      }
    }
    if (below.empty()) {
      add_table("additionalProperties");
    }
  }
  return below;
}

}  // namespace

int depth_that_fits(const DocumentNode& root) {
  std::vector<const DocumentNode*> level = {&root};
  size_t count = 0;
  int levels = 0;
  for (; !level.empty() && levels <= kDepthMax; ++levels) {
    std::vector<const DocumentNode*> next;
    for (const DocumentNode* written : level) {
      if (++count > kNodesMax) {
        int depth = kDepthMax;
        while (depth > 1 && depth + 1 >= levels) {  // One level more is met, and left open.
          depth /= 2;
        }
        return depth;
      }
      const DocumentNode* schema = resolved(*written, root);
      if (schema != nullptr && next.size() <= kNodesMax) {
        const auto below = schemas_below(*schema, root);
        next.insert(next.end(), below.begin(), below.end());
      }
    }
    level = std::move(next);
  }
  return kDepthMax;
}

}  // namespace chartwright::generate
