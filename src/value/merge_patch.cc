// SPDX-License-Identifier: Apache-2.0
#include "value/merge_patch.h"

#include <memory>

namespace chartwright::value {

Value merge_patched(const Value& target, const Value& patch) {
  if (!patch.is_dict()) {
    return patch;
  }
  Value result =
      target.is_dict() ? Value::dict(std::make_shared<Dict>(target.as_dict())) : Value::dict();
  for (const auto& [key, member] : patch.as_dict()) {
    if (member.is_nil()) {
      result.mutable_dict().erase(key);
    } else {
      const Value* before = result.find(key);
      result.mutable_dict().set(key, merge_patched(before != nullptr ? *before : Value(), member));
    }
  }
  return result;
}

}  // namespace chartwright::value
