// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

// Bounds against aliases of aliases, which multiply at each level: charts, the members of the
// values that all of them have, and those that are copied to find out what is enabled.
inline constexpr size_t kChartsMax = 10000;
inline constexpr size_t kValueMembersMax = 4'000'000;
inline constexpr size_t kMembersCopiedMax = 40'000'000;

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
  /// pkg/chart/v2/util/dependencies.go getAliasDependency. Error: kBudget past kChartsMax copies.
  base::Result<ChartNode*> copy(const ChartNode& node, const std::string& name);

  /// Makes `node` the parent of exactly these. Source: pkg/chart/chart.go SetDependencies.
  static void set_dependencies(ChartNode& node, std::vector<ChartNode*> dependencies);

  /// To be called with each copy of values that is made. Error: kBudget past kMembersCopiedMax.
  base::Status charge_copy(const value::Value& values);

  /// Gives `node` the values that it has with its dependencies'. Error: kBudget when all that were
  /// given so have more than kValueMembersMax members.
  base::Status set_values(ChartNode& node, value::Value values);

  /// What templates and values see: a chart of its own wherever one is reached from `node`. Error:
  /// kBudget when these are more than kChartsMax, or more than kValueMembersMax members are in the
  /// values of those below it.
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
