// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/result.h"
#include "chart/chart.h"
#include "chart/profile.h"

namespace chartwright::chart {

/// A *chart.Metadata while dependencies are resolved: what that changes, beside what was loaded.
struct LiveMetadata {
  const Metadata* loaded;
  std::string name;
  bool has_dependencies;  ///< False where Go's slice is nil: nothing is then processed.
  std::vector<Dependency*> dependencies;
};

/// A *chart.Chart while dependencies are resolved.
struct ChartNode {
  const Chart* loaded;
  LiveMetadata* metadata;
  value::Value values;
  const ChartNode* parent;
  std::vector<ChartNode*> dependencies;

  const std::string& name() const { return metadata->name; }
};

/// The charts of one render as Go has them while it resolves dependencies: reached through
/// pointers, so that what happens to a chart, or to an entry of `dependencies`, happens for all
/// copies that share it, and a chart knows one parent: who claimed it last. Owns all of it. The
/// loaded chart must outlive it. Source: helm/helm v3 pkg/chart/chart.go.
class ChartGraph {
 public:
  ChartGraph(const Chart& loaded, AliasRule rule) : rule_(rule), root_(add(loaded, nullptr)) {}

  ChartNode& root() { return *root_; }

  /// A copy of `node` under `name`. Source: helm/helm v3 pkg/chartutil/dependencies.go and v4
  /// pkg/chart/v2/util/dependencies.go getAliasDependency.
  ChartNode* copy(const ChartNode& node, const std::string& name);

  /// Makes `node` the parent of exactly these. Source: pkg/chart/chart.go SetDependencies.
  static void set_dependencies(ChartNode& node, std::vector<ChartNode*> dependencies);

  /// What templates and values see: a chart of its own wherever one is reached from `node`. Error:
  /// kBudget when these are more than kChartsMax.
  static base::Result<Chart> tree(const ChartNode& node);

 private:
  ChartNode* add(const Chart& loaded, const ChartNode* parent);

  const AliasRule rule_;
  std::deque<Dependency> entries_;
  std::deque<LiveMetadata> metadata_;
  std::deque<ChartNode> nodes_;
  ChartNode* root_;
};

/// A bound against aliases of aliases, which multiply at each level.
inline constexpr size_t kChartsMax = 10000;

}  // namespace chartwright::chart
