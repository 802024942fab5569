// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "helm/analysis/usage.h"
#include "value/value.h"

namespace chartwright::helm::analysis {

/// The keys that are defined by values files, schemas, parent charts and subcharts.
struct Keys {
  bool open = false;  ///< There may be other keys: an empty map, a null, or not a map.
  std::map<std::string, Keys, std::less<>> below;

  /// Adds the keys of a value.
  void add(const value::Value& v);
  /// Adds the keys that a JSON schema mentions.
  void add_schema(const value::Value& schema);
  /// Returns the keys at `path`, adding the path if it is missing.
  Keys& at(const Steps& path);
};

/// Returns the keys that the values.yaml and schemas of a chart and its dependencies define, at
/// their places in the root chart's values. Includes keys copied by import-values.
Keys defined_keys(const std::vector<ScopeOfChart>& scopes);

/// Returns the names that comments of a values file mention ("# hostPort: 80", "## @param image.tag
/// ..."), since authors document optional keys in this way.
std::set<std::string> commented_names(std::string_view values_file);

/// Marks the keys that `text` refers to by name (".Values.image.tag") as used, since values may be
/// templates for `tpl`. A reference in another form marks everything below `prefix` as used.
void mark_named_in(std::string_view text, const Steps& prefix, KeyUsage& root);

/// Marks the keys that Helm itself reads as used: conditions and tags of dependencies, imported
/// values, and the values of dependencies that are missing and cannot be examined.
void mark_for_dependencies(const std::vector<ScopeOfChart>& scopes, KeyUsage& root);

}  // namespace chartwright::helm::analysis
