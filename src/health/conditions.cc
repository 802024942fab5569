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

const value::Value* condition_of(const value::Value& object, std::string_view type) {
  return find_condition(object.find_path({"status", "conditions"}), type);
}

bool has_condition(const value::Value& object, std::string_view type, std::string_view status) {
  const value::Value* condition = condition_of(object, type);
  return condition != nullptr && condition->string_at({"status"}) == status;
}

}  // namespace chartwright::health
