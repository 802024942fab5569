// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/template_places.h"
#include "operator/cluster_view.h"
#include "operator/externals.h"
#include "operator/goal.h"
#include "operator/patches.h"
#include "operator/rollout.h"

namespace chartwright::op {

/// The objects that one reconcile consists of. Each names those that it uses, which come before it.
class ReconcileParts {
 public:
  /// `subject` must outlive it.
  explicit ReconcileParts(const Subject& subject) : subject_(subject) {}

 private:
  const Subject& subject_;  // First: the others are made from it.

 public:
  Inputs inputs;
  RenderQueue renders{subject_, inputs};
  Records records{subject_, renders};
  InputDigests digests{subject_, renders, records, inputs};
  LiveResource live{subject_};
  Wait wait{subject_};
  DefinitionStage definitions{subject_, records, live, wait};
  Candidates candidates{subject_, digests, renders, records};
  History history{subject_, records};
  Attempts attempts{{subject_, digests, records, candidates, history, live}};
  HookStage hooks{subject_, records, definitions, live, wait};
  Children children{subject_};
  Applier applier{subject_, definitions, children, live, wait};
  Takeover takeover{subject_, digests, records, live, applier};
  DeletionHooks deletion_hooks{
      {subject_, inputs, digests, records, candidates, attempts, takeover}};
  Uninstall uninstall{
      {subject_, records, definitions, children, live, wait, hooks, deletion_hooks}};
  Remedy remedy{subject_, inputs, history, applier, uninstall};
  LostRecord lost{{subject_, inputs, digests, candidates, history, applier, live}};
  Upkeep upkeep{
      {subject_, inputs, records, history, definitions, children, applier, lost, uninstall}};
  CandidateHooks candidate_hooks{subject_, history, hooks, upkeep, wait};
  Rollout rollout{{subject_, attempts, history, definitions, applier, uninstall, candidate_hooks,
                   remedy, takeover}};
  GoalChoice goals{subject_, inputs, candidates};
  TemplatePlaces places{subject_, inputs, renders, records};
  ClusterView view{subject_, inputs, renders, records};
  Patches patches{subject_, renders, view, applier, uninstall};
  Externals externals{{subject_, inputs, renders, live, uninstall, view}};
};

}  // namespace chartwright::op
