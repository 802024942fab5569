// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/template_places.h"
#include "operator/cluster_view.h"
#include "operator/externals.h"
#include "operator/goal.h"
#include "operator/patches.h"
#include "operator/rollout.h"

namespace chartwright::op {

/// One reconcile of one custom resource, from the caches to the status. Lives on the stack of one
/// worker; run() may be called once.
class Reconcile {
 public:
  /// All must outlive it.
  Reconcile(const bundle::Watch& watch, const Services& services,
            const runtime::ReconcileContext& context, const value::Value& cr, CrState& state);

  runtime::Outcome run();

 private:
  runtime::Outcome rest(const Pause& pause, base::WallTime now);
  base::Status prepare();
  base::Status check_known() const;
  base::Status keep_without_inputs(base::Error error);
  base::Status bring_about_externals();
  base::Status judge();
  runtime::Outcome uninstall();
  base::Status remove_externals();
  std::optional<Rollback> rollback_for(Goal goal) const;

  base::Status pursue(Goal goal);
  base::Status bring_about(Goal goal);
  base::Status deploy(const Candidate& candidate, Goal goal);
  base::Status foresee(const Candidate& candidate);
  base::Status keep_taken_over(const Candidate& candidate);
  base::Status undo();
  base::Result<bool> is_worth_while(const Candidate& candidate);
  base::Status apply(const Candidate& candidate);
  void hold(const Failure& failure);
  base::Status recall_failure();
  void recall_rejection();
  void forget_ended();
  void note_failure(const base::Error& error, Goal goal);
  void warn_of_overrides() const;
  base::Status keep();
  Phase phase_of_repair() const;
  base::Status keep_in_force();

  runtime::Outcome finish(base::Status result);
  base::Result<value::Value> author_status();
  runtime::Outcome come_back();
  runtime::Outcome come_back_soon();
  Failure failure_of(const base::Error& error) const;

  const Subject subject_;
  Inputs inputs_;
  RenderQueue renders_{subject_, inputs_};
  Records records_{subject_, renders_};
  InputDigests digests_{subject_, renders_, records_, inputs_};
  LiveResource live_{subject_};
  Wait wait_{subject_};
  DefinitionStage definitions_{subject_, records_, live_, wait_};
  Candidates candidates_{subject_, digests_, renders_, records_};
  History history_{subject_, records_};
  Attempts attempts_{{subject_, digests_, records_, candidates_, history_, live_}};
  HookStage hooks_{subject_, records_, definitions_, live_, wait_};
  Children children_{subject_};
  Applier applier_{subject_, definitions_, children_, live_, wait_};
  Takeover takeover_{subject_, digests_, records_, live_, applier_};
  DeletionHooks deletion_hooks_{
      {subject_, inputs_, digests_, records_, candidates_, attempts_, takeover_}};
  Uninstall uninstall_{
      {subject_, records_, definitions_, children_, live_, wait_, hooks_, deletion_hooks_}};
  Remedy remedy_{subject_, inputs_, history_, applier_, uninstall_};
  LostRecord lost_{{subject_, inputs_, digests_, candidates_, history_, applier_, live_}};
  Upkeep upkeep_{{subject_, inputs_, records_, history_, definitions_, children_, applier_, lost_,
                  uninstall_}};
  CandidateHooks candidate_hooks_{subject_, history_, hooks_, upkeep_, wait_};
  Rollout rollout_{{subject_, attempts_, history_, definitions_, applier_, uninstall_,
                    candidate_hooks_, remedy_, takeover_}};
  GoalChoice goals_{subject_, inputs_, candidates_, remedy_};
  TemplatePlaces places_{subject_, inputs_, renders_, records_};
  ClusterView view_{subject_, inputs_, renders_, records_};
  Patches patches_{subject_, renders_, view_, applier_, uninstall_};
  Externals externals_{{subject_, inputs_, renders_, live_, uninstall_, view_}};
  base::Status outside_;  ///< Result of the externals.
  bool brought_about_externals_ = false;
  bool failed_anew_ = false;  ///< `state.failure` is of this reconcile.
  bool vacated_ = false;      ///< A child was found not to count when everything was done.
  base::Duration period_{};
  Phase phase_ = Phase::kRender;  ///< That an error would end.
};

/// Returns how often to come back without an event: by the custom resource's annotation, the watch,
/// or `fallback`. Error: kInvalidArgument where the annotation is not a Go duration.
base::Result<base::Duration> resync_period(const value::Value& cr, const bundle::Watch& watch,
                                           base::Duration fallback);

/// Returns `period` less up to a tenth, by the uid: the resyncs of custom resources that were
/// reconciled together do not stay together.
base::Duration spread_period(base::Duration period, std::string_view uid);

}  // namespace chartwright::op
