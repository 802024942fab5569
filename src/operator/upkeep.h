// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "operator/applier.h"
#include "operator/candidates.h"
#include "operator/history.h"

namespace chartwright::op {

/// Keeps the objects of the revision in force as it is recorded. Blocks.
class Upkeep {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    const Inputs& inputs;
    InputDigests& digests;
    Records& records;
    Candidates& candidates;
    History& history;
    DefinitionStage& definitions;
    Children& children;
    Applier& applier;
    LiveResource& live;
    Wait& wait;
  };

  explicit Upkeep(const Parts& parts) : parts_(parts) {}

  /// Repairs what differs from the revision in force; there must be one. Errors: as repair; those
  /// of DefinitionStage::revisit and of Children::trouble.
  base::Status keep();
  /// Applies the revision in force. Errors: those of Records, of Applier, and of making a record
  /// anew where it is lost.
  base::Status repair();

 private:
  base::Status repair_to(const std::vector<value::Value>& objects);
  base::Status apply_possible(const std::vector<value::Value>& objects);
  base::Status repair_without_record(const base::Error& error);
  base::Status record_anew(Candidate candidate, const base::Error& error);
  base::Status repair_unchanged(const std::vector<value::Value>& objects, const base::Error& error);

  const Parts parts_;
};

}  // namespace chartwright::op
