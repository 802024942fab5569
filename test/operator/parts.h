// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/reconcile.h"
#include "test/operator/records.h"

namespace chartwright::op::testing {

/// The objects that one reconcile of a World's custom resource consists of, with the state that a
/// new process has. The calls before it are forgotten.
struct Parts {
  explicit Parts(World& world)
      : cr(world.cached()),
        signer(CW_MUST(base::Signer::make(world.master_key, kube::uid_of(cr)))),
        state(state_from_status(cr, &signer)),
        context(world.context()),
        subject(world.watch, world.services(), context, cr, state) {
    world.api.forget_calls();
  }

  const value::Value cr;
  const base::Signer signer;
  CrState state;
  const runtime::ReconcileContext context;
  const Subject subject;
  Inputs inputs;
  RenderQueue renders{subject, inputs};
  Records records{subject, renders};
  InputDigests digests{subject, renders, records, inputs};
  LiveResource live{subject};
  Wait wait{subject};
  DefinitionStage definitions{subject, records, live, wait};
  Candidates candidates{subject, digests, renders, records};
  History history{subject, records};
  Children children{subject};
  Applier applier{subject, definitions, children, live, wait};
  Takeover takeover{subject, digests, records, live, applier};
  HookStage hooks{subject, records, definitions, live, wait};
  Attempts attempts{{subject, digests, records, candidates, history, live}};
  DeletionHooks deletion_hooks{{subject, inputs, digests, records, candidates, attempts, takeover}};
  Uninstall uninstall{{subject, records, definitions, children, live, wait, hooks, deletion_hooks}};
  Remedy remedy{subject, inputs, history, applier, uninstall};
  LostRecord lost{{subject, inputs, digests, candidates, history, applier, live}};
  Upkeep upkeep{
      {subject, inputs, records, history, definitions, children, applier, lost, uninstall}};
  CandidateHooks candidate_hooks{subject, history, hooks, upkeep, wait};
  Rollout rollout{{subject, attempts, history, definitions, applier, uninstall, candidate_hooks,
                   remedy, takeover}};
  GoalChoice goals{subject, inputs, candidates, remedy};
  ClusterView view{subject, inputs, renders, records};
};

/// The same, with the inputs filled in.
struct PreparedParts : Parts {
  explicit PreparedParts(World& world) : Parts(world) { CW_MUST(digests.prepare()); }
};

}  // namespace chartwright::op::testing
