// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace chartwright::release {

/// Which rendered objects a rule speaks of; an empty member matches everything.
struct ChildMatch {
  std::string api_version;
  std::string kind;
  std::string name;  ///< Glob with `*` and `?`.
  std::vector<std::pair<std::string, std::string>> labels;

  bool matches(const value::Value& object) const;
};

/// What the author declares about a kind of child in operator/operator.yaml.
struct ChildRule {
  ChildMatch match;
  /// Once the object exists, the live value of these fields is sent again instead of ours.
  std::vector<value::Path> freeze;
  /// Quantities that may grow but not shrink.
  std::vector<value::Path> grow_only;

  /// Whether deciding needs the live object's body.
  bool needs_live() const { return !freeze.empty() || !grow_only.empty(); }
};

/// The first rule that matches; nullptr when none does.
const ChildRule* find_rule(const std::vector<ChildRule>& rules, const value::Value& object);

/// A growOnly field that was asked to shrink and stays as it is.
struct HeldField {
  std::string path;
  std::string live;
  std::string wanted;
};

/// Rewrites `desired`, an unshared copy, so that applying it over `live` breaks no rule: frozen
/// fields take the live value (or go, if live has none), shrinking quantities stay. Returns what
/// was held.
std::vector<HeldField> hold_fields(const ChildRule& rule, const value::Value& live,
                                   value::Value& desired);

/// Shell-style match with `*` and `?` over the whole text.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace chartwright::release
