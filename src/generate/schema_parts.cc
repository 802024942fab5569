// SPDX-License-Identifier: Apache-2.0
#include "generate/schema_parts.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace chartwright::generate {

using yaml::DocumentNode;

bool allows_int_or_string(const WrittenSchema& document, const DocumentNode& table) {
  for (std::string_view key : {"anyOf", "oneOf"}) {
    const DocumentNode* choices = table.find(key);
    if (choices == nullptr || choices->items.size() != 2) {
      continue;
    }
    std::vector<std::string> names;
    for (const DocumentNode& choice : choices->items) {
      const FieldTypes types = types_of(document, choice);
      names.insert(names.end(), types.names.begin(), types.names.end());
    }
    std::sort(names.begin(), names.end());
    if (names == std::vector<std::string>{"integer", "string"}) {
      return true;
    }
  }
  return false;
}

namespace {

constexpr int kDepthMax = 40;

/// Returns the schemas one level below a schema that a CRD has a place for.
std::vector<const DocumentNode*> schemas_below(const WrittenSchema& document,
                                               const DocumentNode& written) {
  std::vector<const DocumentNode*> below;
  const DocumentNode* schema = document.follow(&written);
  const FieldTypes types = schema != nullptr ? types_of(document, *schema) : FieldTypes();
  if (types.names.size() != 1 || allows_int_or_string(document, *schema)) {
    return below;
  }
  const DocumentNode* each = nullptr;
  if (types.names.front() == "array") {
    each = document.item(*schema);
  } else if (types.names.front() == "object") {
    std::set<std::string_view> names;
    for (const DocumentNode* table : document.parts(written).tables) {
      document.for_each_property(*table, [&](std::string_view name, const DocumentNode& member) {
        if (names.insert(name).second) {
          below.push_back(&member);
        }
      });
    }
    each = below.empty() ? document.other_members(*schema) : nullptr;
  }
  if (each != nullptr && each->kind == DocumentNode::Kind::kMap) {
    below.push_back(each);
  }
  return below;
}

}  // namespace

int depth_that_fits(const WrittenSchema& document) {
  std::vector<const DocumentNode*> level = {&document.root()};
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
      if (next.size() <= kNodesMax) {
        const auto below = schemas_below(document, *written);
        next.insert(next.end(), below.begin(), below.end());
      }
    }
    level = std::move(next);
  }
  return kDepthMax;
}

}  // namespace chartwright::generate
