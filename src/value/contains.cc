// SPDX-License-Identifier: Apache-2.0
#include "value/contains.h"

#include "value/compare.h"

namespace chartwright::value {

bool contains(const Value& observed, const Value& wanted) {
  if (wanted.is_dict()) {
    if (!observed.is_dict()) {
      return false;
    }
    for (const auto& [key, member] : wanted.as_dict()) {
      const Value* found = observed.find(key);
      if (!contains(found == nullptr ? Value() : *found, member)) {
        return false;
      }
    }
    return true;
  }
  if (wanted.is_list() && observed.is_list()) {
    const auto& some = wanted.as_list().items;
    const auto& all = observed.as_list().items;
    if (some.size() != all.size()) {
      return false;
    }
    for (size_t i = 0; i < some.size(); ++i) {
      if (!contains(all[i], some[i])) {
        return false;
      }
    }
    return true;
  }
  return json_equal(observed, wanted);
}

}  // namespace chartwright::value
