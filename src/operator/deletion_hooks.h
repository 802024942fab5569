// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "operator/attempts.h"
#include "operator/takeover.h"

namespace chartwright::op {

/// Finds the hooks that run at a deletion: those of the release in force. Its record has them, if
/// it is of the inputs of today; otherwise the chart of today does, and if that cannot be rendered,
/// the record. A record that we have not signed has no hooks: they would run with the rights of the
/// operator. Blocks.
class DeletionHooks {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    const Inputs& inputs;
    InputDigests& digests;
    Records& records;
    Candidates& candidates;
    Attempts& attempts;
    Takeover& takeover;
    std::string& key;
    std::string& missing_hooks;  ///< Why the hooks of the deletion do not run, for people.
  };

  explicit DeletionHooks(const Parts& parts) : parts_(parts) {}

  /// Returns the hooks of the release whose record has that number. Objects elsewhere that a status
  /// without a signature names become children if the chart renders them. The state says why hooks
  /// are missing. Errors: those of the records and of the client; those of a render that another
  /// try may end, unless the record has the hooks.
  base::Result<std::vector<release::Hook>> find(int record);

 private:
  base::Result<bool> is_of_today(const release::Revision& revision);
  base::Result<Candidate> render();
  base::Result<std::vector<release::Hook>> without_render(
      base::Error error, int record, release::Finding<release::Revision> known);

  const Parts parts_;
};

}  // namespace chartwright::op
