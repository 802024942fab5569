// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "helm/analysis/output.h"

namespace chartwright::helm::analysis {

/// Keeps one node for all outputs that are equal, so that two walks of one template with equal data
/// write the same node: what is known of a value is then the same, and is followed once.
class OutputTable {
 public:
  /// Returns the node that stands for all outputs equal to `output`.
  OutputPtr unique(const OutputPtr& output) { return unique(output, 0); }

 private:
  OutputPtr unique(const OutputPtr& output, int depth);

  /// Compares nodes whose parts are unique.
  struct Hash {
    size_t operator()(const OutputPtr& node) const;
  };
  struct Equal {
    bool operator()(const OutputPtr& a, const OutputPtr& b) const;
  };
  std::unordered_set<OutputPtr, Hash, Equal> nodes_;
  std::unordered_set<const Output*> known_;  ///< The addresses of `nodes_`.
};

}  // namespace chartwright::helm::analysis
