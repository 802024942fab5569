// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/template_places.h"
#include "operator/externals.h"
#include "operator/goal.h"
#include "operator/patches.h"
#include "operator/rollout.h"
#include "subject/cluster_view.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// The objects that one reconcile consists of. Each names those that it uses, which come before it,
/// and the parts of the state that it may change. All may read all of it.
class ReconcileParts {
 public:
  /// Both must outlive it; `state` is that of the subject.
  ReconcileParts(const Subject& subject, CrState& state) : subject_(subject), state_(state) {}

 private:
  const Subject& subject_;  // First: the others are made from these.
  CrState& state_;
  Progress& progress_ = state_.progress;
  release::Inventory& inventory_ = state_.inventory;

 public:
  Inputs inputs;
  RenderQueue renders{subject_, inputs};
  Records records{subject_, renders};
  InputDigests digests{subject_, renders, records, inputs, state_.key};
  LiveResource live{subject_, state_.stored, state_.deployed_generation};
  Wait wait{subject_, state_.waiting_since};
  DefinitionStage definitions{subject_, {records, live, wait, inventory_, state_.held_definitions}};
  Candidates candidates{subject_, digests, renders, records, state_.skipped_hooks};
  History history{subject_,
                  records,
                  {progress_, state_.history, state_.notes, state_.config, state_.lookups,
                   state_.key, state_.is_signed}};
  Attempts attempts{{subject_, digests, records, candidates, history, live, progress_, state_.key}};
  HookStage hooks{subject_, {records, definitions, live, wait, progress_}};
  Children children{subject_, inventory_, state_.unconfirmed, state_.uncached_children};
  Applier applier{
      subject_,
      {definitions, children, live, wait, inventory_, state_.unconfirmed, state_.uncached_children,
       state_.stored.lacks_children, state_.contests, state_.patches}};
  Takeover takeover{subject_,
                    {digests, records, live, applier},
                    {progress_, inventory_, state_.history, state_.notes, state_.key,
                     state_.is_signed, state_.trusted_records, state_.record_search}};
  DeletionHooks deletion_hooks{{subject_, inputs, digests, records, candidates, attempts, takeover,
                                state_.key, state_.missing_hooks}};
  Uninstall uninstall{{subject_, records, definitions, children, live, wait, hooks, deletion_hooks,
                       progress_, inventory_}};
  Remedy remedy{subject_, {inputs, history, applier, uninstall, progress_, state_.notes}};
  LostRecord lost{{subject_, inputs, digests, candidates, history, applier, live, state_.key}};
  DriftRepair drift{{subject_, inputs, records, history, definitions, children, applier, lost,
                     uninstall, progress_}};
  CandidateHooks candidate_hooks{subject_, {history, hooks, drift, wait, progress_}};
  Rollout rollout{{subject_, attempts, history, definitions, applier, live, uninstall,
                   candidate_hooks, remedy, takeover, progress_}};
  GoalChoice goals{subject_, inputs, candidates, progress_};
  TemplatePlaces places{subject_, inputs, renders, records, inventory_};
  ClusterView view{subject_, inputs, renders, records, state_.config};
  Patches patches{subject_, renders, view, applier, uninstall};
  Externals externals{
      {subject_, inputs, renders, live, uninstall, view, state_.externals, state_.external_memory}};
};

}  // namespace chartwright::op
