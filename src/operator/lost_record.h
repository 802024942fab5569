// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "history/candidates.h"
#include "history/history.h"
#include "operator/applier.h"

namespace chartwright::op {

/// Goes on where the record of the revision in force is lost: makes it anew if a render gives the
/// same objects, or else repairs only what a render gives unchanged. Blocks.
class LostRecord {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    const Inputs& inputs;
    InputDigests& digests;
    Candidates& candidates;
    History& history;
    Applier& applier;
    LiveResource& live;
    std::string& key;
  };

  explicit LostRecord(const Parts& parts) : parts_(parts) {}

  /// Repairs without the record, of whose absence `proof` is the proof. Errors: `proof` where the
  /// record cannot be made up for; those of rendering, of Applier and of History.
  base::Status repair(const base::Error& proof);

 private:
  base::Status record_anew(Candidate candidate, const base::Error& proof);
  base::Result<bool> gives_same_objects(const Candidate& candidate);
  base::Status repair_unchanged(const std::vector<value::Value>& objects, const base::Error& proof);

  const Parts parts_;
};

}  // namespace chartwright::op
