// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/history.h"
#include "operator/hooks.h"
#include "operator/upkeep.h"

namespace chartwright::op {

/// Runs the hooks of a candidate before and after its children are applied, and records that the
/// attempt at it has failed if one of them fails. Blocks.
class CandidateHooks {
 public:
  /// All must outlive it.
  CandidateHooks(const Subject& subject, History& history, HookStage& hooks, Upkeep& upkeep,
                 const Wait& wait)
      : subject_(subject), history_(history), hooks_(hooks), upkeep_(upkeep), wait_(wait) {}

  /// Reports whether the candidate has hooks that would run.
  bool any(const Candidate& candidate) const;
  /// Runs those before or after its children are applied; none without an attempt in the state. The
  /// revision in force is kept while one that comes before takes its time. Errors: those of
  /// HookStage::run, Upkeep::keep and History::record_failure.
  base::Status run(const Candidate& candidate, History::Applied applied);

 private:
  release::HookEvent event_of(const Candidate& candidate, History::Applied applied) const;

  const Subject& subject_;
  History& history_;
  HookStage& hooks_;
  Upkeep& upkeep_;
  const Wait& wait_;
};

}  // namespace chartwright::op
