// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/lint/shape.h"

namespace chartwright::helm::lint {

/// What templates do with a key of the values, and with the keys below it.
struct Mark {
  bool whole = false;    ///< Read with everything below.
  bool touched = false;  ///< Looked at: tested, or walked over.
  std::map<std::string, Mark, std::less<>> below;
};

/// A place in a template that reads a value, or looks into one.
struct Access {
  Steps path;
  const tmpl::Tree* tree;
  size_t pos;
};

/// A chart of the tree of charts, and where its values are.
struct ScopeOfChart {
  const helm::Chart* chart;
  Steps prefix;
  std::string folder;  ///< "app/charts/sub"
  std::map<std::string, size_t, std::less<>> subcharts;
};

/// The chart and its dependencies, enabled or not, aliases under their own names.
std::vector<ScopeOfChart> scopes_of(const helm::Chart& root);

/// How the templates of a chart and of its dependencies use values: a walk through the parse trees,
/// without any values. Where a value goes out of sight, everything below it counts as used.
struct Usage {
  Mark marks;
  std::vector<Access> accesses;      ///< Of values that must be there.
  std::set<Steps> optional;          ///< Tested before use, or given a default.
  std::set<Steps> open;              ///< Templates add keys below.
  bool complete = true;              ///< False: there is more than was looked at.
  std::vector<tmpl::TreeMap> trees;  ///< What the accesses point into.
};

/// The mark of a path below `root`, made where there is none.
Mark& mark_at(Mark& root, const Steps& path);
/// Marks `path` with everything below as read.
void mark_whole(Mark& root, const Steps& path);

}  // namespace chartwright::helm::lint
