// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "helm/lint/usage.h"
#include "value/value.h"

namespace chartwright::helm::lint {

/// The keys that somebody defines: values files, schemas, charts around and below.
struct Keys {
  bool open = false;  ///< Others may follow: an empty table, a null, anything that is no table.
  std::map<std::string, Keys, std::less<>> below;

  /// Adds the keys of a value.
  void add(const value::Value& v);
  /// Adds the keys that a JSON schema speaks of.
  void add_schema(const value::Value& schema);
  /// The place of `path`, made if it is not there.
  Keys& at(const Steps& path);
};

/// The keys of a chart and of its dependencies' values.yaml and schemas, each at its place in the
/// root's values; what import-values copies included.
Keys defined_keys(const std::vector<ScopeOfChart>& scopes);

/// Names that comments of a values file speak of ("# hostPort: 80", "## @param image.tag ..."):
/// authors document optional keys so.
std::set<std::string> commented_names(std::string_view values_file);

/// Marks what texts refer to by name (".Values.image.tag"): values are templates where `tpl` says
/// so. A reference of another form makes everything count as used.
void mark_named_in(std::string_view text, const Steps& prefix, Mark& marks);

/// Marks what Helm itself looks at: conditions and tags of dependencies, imported values, and the
/// values of dependencies that are not there to be looked at.
void mark_for_dependencies(const std::vector<ScopeOfChart>& scopes, Mark& marks);

}  // namespace chartwright::helm::lint
