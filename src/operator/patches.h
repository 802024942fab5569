// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "operator/applier.h"
#include "operator/uninstall.h"
#include "subject/cluster_view.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// Applies operator/patches: fields of objects that somebody else owns. Blocks.
class Patches {
 public:
  /// All must outlive it.
  Patches(const Subject& subject, RenderQueue& renders, ClusterView& view, Applier& applier,
          Uninstall& uninstall)
      : subject_(subject),
        renders_(renders),
        view_(view),
        applier_(applier),
        uninstall_(uninstall) {}

  /// Reports whether there are patches, or objects of such that are to be given up.
  static bool any(const Subject& subject);
  /// Renders the patches, watches their targets, and applies those whose target exists and is not a
  /// child. The finalizer, which lets a deletion give them up, precedes the first write. Errors:
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
  Uninstall& uninstall_;
};

}  // namespace chartwright::op
