// SPDX-License-Identifier: Apache-2.0
#include "fields/wide_integers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

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

/// A whole number of an object. All items of a list have one `place`, since items of others may be
/// among them: "spec.ports[].port".
struct Number {
  std::string place;
  int64_t value;
  std::vector<value::Path::Step> steps;
};

/// Calls `visit` with each whole number below `at`, which is where `v` is.
template <typename Visit>
void visit_numbers(const Value& v, Number& at, const Visit& visit) {
  const size_t length = at.place.size();
  const auto step_into = [&](const std::string& name, value::Path::Step step, const Value& inner) {
    at.place += name;
    at.steps.push_back(std::move(step));
    visit_numbers(inner, at, visit);
    at.steps.pop_back();
    at.place.resize(length);
  };
  if (const auto number = whole_number(v)) {
    at.value = *number;
    visit(at);
  } else if (at.steps.size() == kNestingMax) {
    return;
  } else if (v.is_dict()) {
    for (const auto& [key, member] : v.as_dict()) {
      step_into((length == 0 ? "" : ".") + std::string(key), key, member);
    }
  } else if (v.is_list()) {
    for (size_t i = 0; i < v.as_list().items.size(); ++i) {
      step_into("[]", i, v.as_list().items[i]);
    }
  }
}

template <typename Visit>
void visit_numbers(const Value& object, const Visit& visit) {
  Number at{"", 0, {}};
  visit_numbers(object, at, visit);
}

}  // namespace

bool has_wide_integer(const Value& object) {
  bool found = false;
  visit_numbers(object, [&found](const Number& number) { found = found || is_wide(number.value); });
  return found;
}

std::vector<CutInteger> cut_integers(const Value& sent, const Value& kept) {
  std::map<std::string, std::vector<int64_t>> numbers;
  visit_numbers(
      kept, [&numbers](const Number& number) { numbers[number.place].push_back(number.value); });
  std::vector<CutInteger> cut;
  visit_numbers(sent, [&](const Number& number) {
    const auto found = numbers.find(number.place);
    if (!is_wide(number.value) || found == numbers.end()) {
      return;
    }
    const int64_t low = static_cast<int32_t>(static_cast<uint32_t>(number.value));
    const std::vector<int64_t>& there = found->second;
    if (std::ranges::find(there, number.value) == there.end() &&
        std::ranges::find(there, low) != there.end()) {
      cut.push_back({value::Path(number.steps), low,
                     number.place + " is " + std::to_string(number.value) +
                         ", of which the API server keeps " + std::to_string(low)});
    }
  });
  return cut;
}

}  // namespace chartwright::fields
