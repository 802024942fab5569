// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "history/history.h"
#include "operator/hooks.h"

namespace chartwright::op {

/// Stores an attempt before its first effect if another process may have to end it: one that runs
/// hooks, or one that another render would not repeat. Blocks.
class Attempts {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    const InputDigests& digests;
    Records& records;
    Candidates& candidates;
    History& history;
    LiveResource& live;
    Progress& progress;
    std::string& key;
  };

  explicit Attempts(const Parts& parts) : parts_(parts) {}

  /// Returns the candidate of the attempt in the status, if that is still asked for: by the inputs,
  /// or by a rollback. Another attempt is concluded as failed. Errors: those of the
  /// client.
  base::Result<std::optional<Candidate>> resume(const std::optional<Rollback>& rollback);
  /// Makes the pending record of a candidate, so that one which cannot be stored is refused before
  /// its first effect. Errors: those of release::encode_revision.
  base::Status prepare(const Candidate& candidate);
  /// Stores the status and the record that was prepared. Errors: those of both; nothing has an
  /// effect then.
  base::Status begin(const Candidate& candidate);
  /// Concludes the attempt in the status as failed, unless it has ended so. Errors: those of the
  /// client.
  base::Status abandon();
  /// Returns the failure of a hook that ended the attempt in the status, if its inputs are the
  /// current ones. Errors: those of the client.
  base::Result<std::optional<Failure>> ended();
  /// Reports whether a record is that of the attempt in the status, and made from the inputs of
  /// today. Errors: those of the digests.
  base::Result<bool> is_of_today(const release::Revision& revision) const;

 private:
  std::string identity(const std::optional<Rollback>& rollback) const;
  base::Result<std::optional<release::Revision>> record();
  base::Result<std::optional<release::Revision>> find_record();
  void warn_of_loss() const;
  base::Status conclude(const std::optional<release::Revision>& revision);
  base::Result<bool> is_asked_for(const release::Revision& revision,
                                  const std::optional<Rollback>& rollback) const;
  base::Result<std::string> digest_of(const std::string& key,
                                      const std::optional<Rollback>& rollback,
                                      const std::string& candidate) const;

  const Parts parts_;
  std::optional<release::EncodedRevision> prepared_;
};

}  // namespace chartwright::op
