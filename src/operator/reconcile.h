// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "operator/parts.h"

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
  struct Memory {
    /// The requests for another attempt (retry_requests) at which fields that had been left out
    /// were tried again; nullopt: they were not since the start.
    std::optional<std::string> retried_left_out;
  };

  runtime::Outcome rest(const Pause& pause, base::WallTime now);
  base::Status look();
  Goal choose();
  base::Status prepare();
  base::Status check_known() const;
  base::Status keep_without_inputs(base::Error error);
  bool is_passing(const base::Error& error) const;
  base::Status bring_about_externals();
  base::Result<bool> judge();
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
  void note_rejection();
  void forget_ended();
  void note_failure(const base::Error& error, Goal goal);
  void warn_of_overrides() const;
  base::Status keep();
  Phase phase_of_repair() const;
  base::Status keep_in_force();

  runtime::Outcome finish(base::Status result);
  base::Result<value::Value> author_status();
  runtime::Outcome come_back();
  std::optional<base::Duration> due_in();
  runtime::Outcome come_back_soon();
  Failure failure_of(const base::Error& error) const;

  CrState& state_;
  const Subject subject_;
  ReconcileParts parts_{subject_, state_};
  base::Status outside_;  ///< Result of the externals.
  bool brought_about_externals_ = false;
  bool failed_anew_ = false;  ///< The failure in the progress is of this reconcile.
  bool vacated_ = false;      ///< A child was found not to count when everything was done.
  base::Duration period_{};
  Phase phase_ = Phase::kRender;  ///< The phase to report with the next error.
};

}  // namespace chartwright::op
