// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "migration/finding.h"
#include "project/cluster.h"
#include "project/differ.h"
#include "project/project.h"

namespace chartwright::cmd {

/// Returns whether a cluster has the CRDs and rights that the operator needs, and what its first
/// reconcile of each live custom resource would change, found without a write. Errors: those of
/// doctor::check_cluster and of listing. Blocks; needs the stack of a render.
base::Result<std::vector<Finding>> check_live(const Project& project, const DiffPlace& place,
                                              Cluster& cluster);

/// Returns the finding for one custom resource. Pure.
Finding finding_of(const diff::Member& member);

}  // namespace chartwright::cmd
