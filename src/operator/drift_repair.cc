// SPDX-License-Identifier: Apache-2.0
#include "operator/drift_repair.h"

#include <utility>

namespace chartwright::op {

base::Status DriftRepair::keep() {
  CW_TRY_VOID(parts_.uninstall.keep_finalizer());
  CW_TRY_VOID(parts_.definitions.revisit(parts_.inputs.release));
  if (parts_.applier.in_sync(Applier::Extent::kAll)) {
    return parts_.children.first_error();
  }
  return repair();
}

// Repairs to the stored manifest, not to a new render, which may differ: a chart may draw random
// numbers, and a rollback may be in force.
base::Status DriftRepair::repair() {
  CW_TRY_VOID(parts_.uninstall.keep_finalizer());
  CW_TRY(release::Finding<release::Revision> finding,
         parts_.records.find(parts_.subject.progress.revision()));
  if (!finding.found()) {
    return parts_.lost.repair(finding.proof());
  }
  release::Revision& revision = finding.thing();
  CW_TRY(const auto objects, parts_.records.parse(revision.manifest));
  CW_TRY_VOID(parts_.applier.restore(objects, revision.reach));
  if (revision.reach == release::Reach::kOwnNamespace &&
      !parts_.applier.in_sync(Applier::Extent::kAll)) {
    return beyond_reach(parts_.subject, revision.number);
  }
  parts_.progress.note_unrecorded(false);
  return parts_.history.confirm(std::move(revision));
}

}  // namespace chartwright::op
