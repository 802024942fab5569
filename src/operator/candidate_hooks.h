// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/history.h"
#include "operator/drift_repair.h"
#include "operator/hooks.h"

namespace chartwright::op {

/// Runs the hooks of a candidate before and after its children are applied, and records that the
/// attempt at it has failed if one of them fails. Blocks.
class CandidateHooks {
 public:
  struct Parts {
    History& history;
    HookStage& hooks;
    DriftRepair& drift;
    const Wait& wait;
    Progress& progress;
  };

  /// All must outlive it.
  CandidateHooks(const Subject& subject, const Parts& parts) : subject_(subject), parts_(parts) {}

  /// Reports whether the candidate has hooks that would run.
  bool any(const Candidate& candidate) const;
  /// Runs those before or after its children are applied; none without an attempt in the state. The
  /// revision in force is kept while one that comes before takes its time. Errors: those of
  /// HookStage::run, DriftRepair::keep and History::record_failure.
  base::Status run(const Candidate& candidate, History::Applied applied);

 private:
  release::HookEvent event_of(const Candidate& candidate, History::Applied applied) const;

  const Subject& subject_;
  const Parts parts_;
};

}  // namespace chartwright::op
