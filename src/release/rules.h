// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace chartwright::release {

/// Selects the rendered objects that a rule applies to. An empty member matches everything.
struct ChildMatch {
  std::string api_version;
  std::string kind;
  std::string name;  ///< Glob with `*` and `?`.
  std::vector<std::pair<std::string, std::string>> labels;

  bool matches(const value::Value& object) const;
};

/// A rule for children, declared by the author in operator/operator.yaml.
struct ChildRule {
  ChildMatch match;
  /// Fields whose live value is sent instead of ours once the object exists.
  std::vector<value::Path> freeze;
  /// Quantities that may grow but not shrink.
  std::vector<value::Path> grow_only;

  /// Reports whether the rule needs the live object's body.
  bool needs_live() const { return !freeze.empty() || !grow_only.empty(); }
};

/// Returns the first rule that matches; nullptr if none does.
const ChildRule* find_rule(const std::vector<ChildRule>& rules, const value::Value& object);

/// A growOnly field that keeps its live value because the desired one is smaller.
struct HeldField {
  std::string path;
  std::string live;
  std::string wanted;
};

/// Rewrites `desired`, an unshared copy, so that applying it over `live` obeys `rule`: frozen
/// fields take the live value (or are removed if `live` has none), and growOnly quantities do not
/// shrink. Returns the growOnly fields that were held.
std::vector<HeldField> hold_fields(const ChildRule& rule, const value::Value& live,
                                   value::Value& desired);

/// Reports whether all of `text` matches the shell-style `pattern` with `*` and `?`.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace chartwright::release
