// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value/compare.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::value {

/// Returns the name of a member as the path of a difference has it: "image", or `["a.b"]`.
std::string member_text(std::string_view name);

/// Reports whether a member may be in a path without quotes.
bool is_bare_member(std::string_view name);

/// Returns what identifies an item of a list, by the member that has this value, as the path of a
/// difference has it: `web` in "containers[name=web]".
std::string item_id(const Value& member);

/// A member that two values do not have alike. Its references are valid during the visit.
struct Difference {
  /// "spec.template.spec.containers[name=web].image"; the name of a list alone, followed by
  /// " (order)", if only the order of its items differs; "" if the values differ as a whole.
  const std::string& path;
  const std::vector<Path::Step>& steps;  ///< The path in the first value, as far as that has it.
  const Value* first;                    ///< nullptr: the first value has no such member.
  const Value* second;                   ///< nullptr: the second has none.
};

/// How two values are compared, and what is told of them.
struct DifferenceSearch {
  std::function<bool(const Value&, const Value&)> is_equal = json_equal;
  /// Reports whether the member at these steps, of which there is at least one, is left out.
  std::function<bool(const std::vector<Path::Step>&)> skips;
  std::function<void(const Difference&)> visit;
};

/// Visits the differences of two values, member by member, in the order of their names. nullptr is
/// a value that has nothing. Items of a list are recognised by what identifies them ("name",
/// "mountPath", ...), otherwise by their place; a list of scalars is compared as a whole, and so is
/// what lies deeper than 64 steps. Pure but for the visit.
void compare_members(const Value* first, const Value* second, const DifferenceSearch& search);

/// The texts of a member in two values; nullopt: there is none.
struct DifferentTexts {
  std::optional<std::string> first;
  std::optional<std::string> second;
};

/// Cuts long texts to the part where they begin to differ, at most 160 bytes each. Pure.
void shorten(DifferentTexts& texts);

}  // namespace chartwright::value
