// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "history/history.h"
#include "operator/applier.h"
#include "operator/uninstall.h"

namespace chartwright::op {

/// Undoes failed attempts, where the policy for failures asks for it: an upgrade is rolled back to
/// the revision that was deployed last, and what an install has created is deleted. Only an attempt
/// that had effects and that cannot pass by itself counts as failed. Blocks.
///
/// A pin says so in the status before anything is undone, so that another process goes on; it keeps
/// the rejected inputs from being tried again, unless dry runs show that the cause is gone.
class Remedy {
 public:
  struct Parts {
    const Inputs& inputs;
    History& history;
    Applier& applier;
    Uninstall& uninstall;
    Progress& progress;
    std::string& notes;
  };

  /// All must outlive it.
  Remedy(const Subject& subject, const Parts& parts) : subject_(subject), parts_(parts) {}

  /// Reads the policy. Error: kInvalidArgument where an annotation names none.
  base::Status prepare();
  /// Reports whether a new candidate needs a record before its first effect, because it may have to
  /// be undone.
  bool needs_record() const;
  /// Concludes an attempt as failed and pins what is in force, if the policy undoes the failure.
  /// Errors: those of the client.
  base::Status reject(const Candidate& candidate, const Failure& failure);
  /// Does so for an attempt that a hook has ended, if another process has concluded it and has come
  /// no further.
  void reject_ended(const Failure& failure);

  /// Says of a failure why it is not undone, although the policy asks for it: an attempt that may
  /// take over objects is held.
  void explain(Failure& failure) const;

  /// Reports whether a failed attempt is to be undone.
  bool is_due() const;
  /// Returns the rollback that undoes it; nullopt where it was an install, for which see uninstall.
  /// Error: kInvalid where it was an upgrade, and there is no deployed revision to return to.
  base::Result<std::optional<Rollback>> rollback() const;
  /// Deletes what an install has created. Errors: those of Uninstall::undo_install.
  base::Status uninstall();

  /// Reports whether the current inputs are those of a failed attempt.
  bool rejects_inputs() const;
  /// Reports whether the rejected inputs are worth another attempt: whether the API server takes in
  /// a dry run what it has refused in one before. Errors: those that may pass by themselves.
  base::Result<bool> accepts(const std::vector<release::Desired>& desired);
  /// Returns the failure of the rejected inputs; nullopt where they are not rejected.
  std::optional<Failure> failure() const;

 private:
  bool undoes(const Failure& failure) const;
  bool is_to_be_undone(const Failure& failure) const;
  void pin(FailedAttempt failed, const Failure& failure);

  const Subject& subject_;
  const Parts parts_;
  FailurePolicy policy_;
};

}  // namespace chartwright::op
