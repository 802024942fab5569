// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "operator/definition_stage.h"
#include "release/hook_runner.h"

namespace chartwright::op {

/// Returns the error of an attempt that a hook has ended: nothing is tried again by itself.
base::Error hook_failure(std::string what);

/// Runs the hooks of the state's attempt. No worker waits for a hook: the reconcile ends, and the
/// next one goes on from the progress in the status. Blocks.
class HookStage {
 public:
  struct Parts {
    Records& records;
    DefinitionStage& definitions;
    LiveResource& live;
    Wait& wait;
    Progress& progress;
  };

  /// All must outlive it.
  HookStage(const Subject& subject, const Parts& parts) : subject_(subject), parts_(parts) {}

  /// Reports whether some of `hooks` would run at the event.
  bool any(const std::vector<release::Hook>& hooks, release::HookEvent event) const;
  /// Runs those of `hooks` that are for the event and have not finished. The events of an attempt
  /// must be run in order in each reconcile. Errors: a wait; kInvalidArgument where one failed;
  /// those of release::HookRunner, and of mapping kinds.
  base::Status run(const std::vector<release::Hook>& hooks, release::HookEvent event);
  /// Reports whether a hook failed in this reconcile.
  bool failed() const { return failed_.has_value(); }
  /// Deletes the hook that has failed, and those of its event before it, if their policies say so.
  /// The state must have the failure, which is stored first. An error is logged: it is not the one
  /// to report.
  void tidy_failed();
  /// Does the same for an attempt that has ended before, if an error or the end of a process has
  /// kept it from being done.
  void tidy_ended();

 private:
  struct FailedHook {
    release::HookEvent event;
    release::HookObject object;
    std::vector<release::HookObject> before;  ///< Those that have succeeded.
  };
  base::Error wait_for(const release::HookObject& object, release::HookEvent event,
                       const release::HookOutcome& outcome);
  /// Returns "; " and the cause for which a hook has failed; "" where it is unknown.
  std::string cause_of_failure(const release::HookObject& object) const;
  release::HookRunner runner_for(release::HookEvent event);
  /// `first` is the number of the first one among those of the attempt.
  base::Result<std::vector<release::HookObject>> objects_of(const std::vector<release::Hook>& hooks,
                                                            release::HookEvent event, int first);
  base::Status watch(const std::vector<release::HookObject>& objects);
  base::Status allow(release::HookEvent event);
  base::Status tidy(release::HookRunner& runner, const std::vector<release::HookObject>& objects);
  base::Status tidy_as_stored(const FailedHook& failed);
  void end_tidying(const base::Status& done);
  base::Result<std::optional<FailedHook>> recall_failed();

  const Subject& subject_;
  const Parts parts_;
  int before_ = 0;                    ///< Hook objects of the attempt's earlier events.
  std::optional<FailedHook> failed_;  ///< In this reconcile.
};

}  // namespace chartwright::op
