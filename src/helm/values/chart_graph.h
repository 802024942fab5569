// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

// Limits against aliases of aliases, which multiply at each level: the number of charts, of members
// in the values of all of them, and of members copied to resolve dependencies.
inline constexpr size_t kChartsMax = 10000;
inline constexpr size_t kValueMembersMax = 4'000'000;
inline constexpr size_t kMembersCopiedMax = 40'000'000;

/// A *chart.Metadata while dependencies are resolved: the loaded metadata and the fields that
/// change.
struct LiveMetadata {
  const Metadata* loaded;
  std::string name;
  bool has_dependencies;  ///< False if Go's slice is nil: then nothing is processed.
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

/// The charts of one render while dependencies are resolved, with the sharing that Go has: charts
/// and entries of `dependencies` are reached through pointers, so that a change is visible in all
/// copies that share them, and a chart has one parent, the one that claimed it last. The graph owns
/// all nodes. The loaded chart must outlive it. Source: helm/helm v3 pkg/chart/chart.go.
class ChartGraph {
 public:
  ChartGraph(const Chart& loaded, AliasRule rule) : rule_(rule), root_(add(loaded, nullptr)) {}

  ChartNode& root() { return *root_; }

  /// Copies `node` under a new name. Error: kBudget above kChartsMax copies. Source: helm/helm v3
  /// pkg/chartutil/dependencies.go and v4 pkg/chart/v2/util/dependencies.go getAliasDependency.
  base::Result<ChartNode*> copy(const ChartNode& node, const std::string& name);

  /// Replaces the dependencies of `node` and makes it their parent.
  /// Source: pkg/chart/chart.go SetDependencies.
  static void set_dependencies(ChartNode& node, std::vector<ChartNode*> dependencies);

  /// Charges for a copy of `values`; must be called for each copy. Error: kBudget above
  /// kMembersCopiedMax in total.
  base::Status charge_copy(const value::Value& values);

  /// Sets the values of `node`, merged with those of its dependencies. Error: kBudget above
  /// kValueMembersMax members in all calls together.
  base::Status set_values(ChartNode& node, value::Value values);

  /// Returns the tree of charts that templates and values see, with a separate copy wherever a
  /// chart is reached from `node`. Error: kBudget above kChartsMax charts, or kValueMembersMax
  /// members in the values of the charts below `node`.
  static base::Result<Chart> tree(const ChartNode& node);

 private:
  ChartNode* add(const Chart& loaded, const ChartNode* parent);

  const AliasRule rule_;
  size_t copies_ = 0;
  size_t members_left_ = kValueMembersMax;
  size_t copied_left_ = kMembersCopiedMax;
  std::deque<Dependency> entries_;
  std::deque<LiveMetadata> metadata_;
  std::deque<ChartNode> nodes_;
  ChartNode* root_;
};

}  // namespace chartwright::helm
