// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/lint/abstract_value.h"

namespace chartwright::helm::lint {

/// How templates use a key of the values and the keys below it.
struct KeyUsage {
  bool whole = false;    ///< Read together with everything below it.
  bool touched = false;  ///< Tested or iterated over.
  std::map<std::string, KeyUsage, std::less<>> below;
};

/// A place in a template that reads a value or one of its members.
struct Access {
  Steps path;
  const tmpl::Tree* tree;
  size_t pos;
};

/// A chart of the chart tree, and the place of its values.
struct ScopeOfChart {
  const helm::Chart* chart;
  Steps prefix;
  std::string folder;  ///< "app/charts/sub"
  std::map<std::string, size_t, std::less<>> subcharts;
};

/// Returns the chart and its dependencies, whether enabled or not. Aliases have their own names.
std::vector<ScopeOfChart> scopes_of(const helm::Chart& root);

/// How the templates of a chart and its dependencies use values. It is found by static analysis of
/// the parse trees, without any values. Where a value can no longer be followed, everything below
/// it counts as used.
struct Usage {
  KeyUsage root;                     ///< How the root chart\'s values are used.
  std::vector<Access> accesses;      ///< Accesses to values that must exist.
  std::set<Steps> optional;          ///< Values that are tested before use or given a default.
  std::set<Steps> open;              ///< Values to which templates add keys.
  bool complete = true;              ///< False if the analysis stopped at a limit.
  std::vector<tmpl::TreeMap> trees;  ///< The trees that `accesses` point into.
};

/// Returns the usage of a path below `root`, adding it if it is missing.
KeyUsage& usage_at(KeyUsage& root, const Steps& path);
/// Marks `path` and everything below it as read.
void mark_whole(KeyUsage& root, const Steps& path);

}  // namespace chartwright::helm::lint
