// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "operator/candidates.h"

namespace chartwright::op {

/// Writes the history of a release: the records, and their lines in the state. Blocks.
class History {
 public:
  /// Both must outlive it.
  History(const Subject& subject, Records& records) : subject_(subject), records_(records) {}

  /// Reports whether the revision in force has a manifest of that digest.
  bool is_in_force(const std::string& digest) const;
  /// Makes an applied candidate the revision in force, and trims the history to its limit. A
  /// candidate that is in force already is not recorded again; only its inputs are. Errors: those
  /// of release::RevisionStore.
  base::Status record(const Candidate& candidate);

 private:
  release::Revision next_revision(const Candidate& candidate) const;
  void enter(int number, const Candidate& candidate);
  void set_in_force(int number, const Candidate& candidate);
  base::Status trim(release::RevisionStore& store);

  const Subject& subject_;
  Records& records_;
};

}  // namespace chartwright::op
