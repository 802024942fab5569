// SPDX-License-Identifier: Apache-2.0
#include "health/conditions.h"

#include <algorithm>

namespace chartwright::health {

const value::Value* find_condition(const value::Value* conditions, std::string_view type) {
  if (conditions == nullptr || !conditions->is_list()) {
    return nullptr;
  }
  const auto& items = conditions->as_list().items;
  const auto found = std::find_if(items.begin(), items.end(), [type](const value::Value& c) {
    return c.string_at({"type"}) == type;
  });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace chartwright::health
