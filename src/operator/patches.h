// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "operator/applier.h"
#include "operator/cluster_view.h"

namespace chartwright::op {

/// Applies operator/patches: fields of objects that somebody else owns. Blocks.
class Patches {
 public:
  /// All must outlive it.
  Patches(const Subject& subject, RenderQueue& renders, ClusterView& view, Applier& applier)
      : subject_(subject), renders_(renders), view_(view), applier_(applier) {}

  /// Renders the patches, watches their targets, and applies those whose target exists. Errors:
  /// those of the templates and of Applier, and kInvalidArgument for a patch of the custom resource
  /// itself.
  base::Status apply();

 private:
  base::Status refuse_own(const std::vector<release::Desired>& patches) const;
  base::Status watch_targets(const std::vector<release::Desired>& patches);

  const Subject& subject_;
  RenderQueue& renders_;
  ClusterView& view_;
  Applier& applier_;
};

}  // namespace chartwright::op
