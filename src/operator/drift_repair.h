// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/lost_record.h"
#include "operator/uninstall.h"

namespace chartwright::op {

/// Keeps the objects of the revision in force as it is recorded. Blocks.
class DriftRepair {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    const Inputs& inputs;
    Records& records;
    History& history;
    DefinitionStage& definitions;
    Children& children;
    Applier& applier;
    LostRecord& lost;
    Uninstall& uninstall;
    Progress& progress;
  };

  explicit DriftRepair(const Parts& parts) : parts_(parts) {}

  /// Repairs what differs from the revision in force; there must be one. Errors: as repair; those
  /// of DefinitionStage::revisit and of Children::first_error.
  base::Status keep();
  /// Applies the revision in force, with the finalizer where that needs one. Errors: those of
  /// Records, of Applier, of LostRecord, and of Uninstall::keep_finalizer.
  base::Status repair();

 private:
  const Parts parts_;
};

}  // namespace chartwright::op
