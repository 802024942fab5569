// SPDX-License-Identifier: Apache-2.0
#include "fields/wide_integers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace chartwright::fields {
namespace {

using value::Value;

// No kind is nested so deeply.
constexpr size_t kNestingMax = 100;

std::optional<int64_t> whole_number(const Value& v) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (v.is_int()) {
    return v.as_int();
  }
  if (v.is_float() && std::abs(v.as_float()) <= kExact &&
      std::trunc(v.as_float()) == v.as_float()) {
    return static_cast<int64_t>(v.as_float());
  }
  return std::nullopt;
}

bool is_wide(int64_t number) {
  return number < std::numeric_limits<int32_t>::min() ||
         number > std::numeric_limits<int32_t>::max();
}

/// Calls `visit` with the place and the value of each whole number. All items of a list have one
/// place, since items of others may be among them: "spec.ports[].port".
template <typename Visit>
void visit_numbers(const Value& v, const std::string& place, size_t nesting, const Visit& visit) {
  if (const auto number = whole_number(v)) {
    visit(place, *number);
  } else if (nesting == kNestingMax) {
    return;
  } else if (v.is_dict()) {
    for (const auto& [key, member] : v.as_dict()) {
      visit_numbers(member, place.empty() ? key : place + "." + key, nesting + 1, visit);
    }
  } else if (v.is_list()) {
    for (const Value& item : v.as_list().items) {
      visit_numbers(item, place + "[]", nesting + 1, visit);
    }
  }
}

}  // namespace

bool has_wide_integer(const Value& object) {
  bool found = false;
  visit_numbers(object, "", 0, [&found](const std::string& /*place*/, int64_t number) {
    found = found || is_wide(number);
  });
  return found;
}

std::string cut_integer(const Value& sent, const Value& kept) {
  std::map<std::string, std::vector<int64_t>> numbers;
  visit_numbers(kept, "", 0, [&numbers](const std::string& place, int64_t number) {
    numbers[place].push_back(number);
  });
  std::string cut;
  visit_numbers(sent, "", 0, [&](const std::string& place, int64_t number) {
    const auto found = numbers.find(place);
    if (!cut.empty() || !is_wide(number) || found == numbers.end()) {
      return;
    }
    const int64_t low = static_cast<int32_t>(static_cast<uint32_t>(number));
    const std::vector<int64_t>& there = found->second;
    if (std::ranges::find(there, number) == there.end() &&
        std::ranges::find(there, low) != there.end()) {
      cut = place + " is " + std::to_string(number) + ", of which the API server keeps " +
            std::to_string(low);
    }
  });
  return cut;
}

}  // namespace chartwright::fields
