// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "history/candidates.h"

namespace chartwright::op {

/// Writes the history of a release: the records, and their lines in the state. Blocks.
class History {
 public:
  /// The parts of the state that say which revision is in force, and which were before.
  struct Writes {
    Progress& progress;
    std::vector<HistoryItem>& history;
    std::string& notes;
    value::Packed& config;
    std::optional<std::vector<host::Lookup>>& lookups;
    std::string& key;
    bool& is_signed;
  };

  /// All must outlive it.
  History(const Subject& subject, Records& records, const Writes& writes)
      : subject_(subject), records_(records), writes_(writes) {}

  /// Reports whether a candidate has what the revision in force has: the manifest and the hooks,
  /// and what reaches externals.
  bool is_in_force(const Candidate& candidate) const;
  /// Notes whether a candidate with the manifest in force alters externals by its values. Reads the
  /// record of the revision in force where the bundle has any. Errors: those of Records::find, but
  /// for a record that cannot be read now: then nothing is known to differ.
  base::Status compare_values(Candidate& candidate);
  /// Reports whether the revision in force was made from the inputs with that digest, and is as it
  /// should be: no rollback, and no failed hook.
  bool has_inputs_in_force(const std::string& digest) const;
  /// Returns the revision that was deployed last, whatever has failed since; 0: none.
  int last_deployed() const;
  /// Returns the number of the next revision, if nobody else takes it.
  int next_number() const;
  /// Returns the pending record of a candidate that is about to be applied. Errors: those of
  /// release::encode_revision.
  base::Result<release::EncodedRevision> pending(const Candidate& candidate) const;
  /// Makes the record of a candidate that is about to be applied and has none, so that one which
  /// cannot be stored is refused before its first effect. Errors: those of
  /// release::encode_revision.
  base::Status prepare(const Candidate& candidate);
  /// Makes an applied candidate the revision in force, and trims the history to its limit. A
  /// candidate that is in force already is not recorded again; only its inputs are. Errors: those
  /// of release::RevisionStore.
  base::Status record(const Candidate& candidate);

  /// Records the revision in force again, which `revision` is, if its record or a later one says
  /// that it is not the deployed one: a process may have ended between a record and its status.
  /// Errors: as record.
  base::Status confirm(release::Revision revision);

  /// Whether the children of a candidate were applied before its hook failed.
  enum class Applied : uint8_t {
    kNo,   ///< The revision in force stays.
    kYes,  ///< The children are those of the candidate.
  };
  /// Concludes the attempt at a candidate as failed. Errors: as record.
  base::Status record_failure(const Candidate& candidate, const std::string& why, Applied applied);
  /// Says in the record of the attempt in the state, if there is one, that it has failed, and why.
  /// The attempt may still go on. Errors: as record.
  base::Status hold(const base::Error& why);
  /// Gives the record of an attempt that is given up for other inputs its outcome, and a line, so
  /// that it goes with the others of its age. Errors: as record.
  base::Status give_up(const release::Revision& revision);
  /// Gives a line to each record that `store` has passed over, if it can be read.
  void enter_passed_over(release::RevisionStore& store);

 private:
  /// Returns the line of the revision in force; nullptr where there is none, or its hook failed.
  const HistoryItem* in_force() const;
  base::Status confirm_unread();
  base::Result<release::EncodedRevision> encoded(release::Revision revision) const;
  release::Revision next_revision(const Candidate& candidate, release::RevisionStatus status) const;
  base::Result<int> store_deployed(release::RevisionStore& store, const Candidate& candidate);
  /// Gives the record of the attempt at a candidate its outcome. Returns its number.
  base::Result<int> conclude(release::RevisionStore& store, const Candidate& candidate,
                             release::RevisionStatus status, const std::string& description);
  base::Status record_again(release::RevisionStore& store, release::Revision revision,
                            HistoryItem item);
  base::Status supersede_others(release::RevisionStore& store, int number);
  void enter(int number, const Candidate& candidate, release::RevisionStatus status,
             const std::string& description);
  void enter_abandoned(const release::Revision& revision, const std::string& why);
  void set_in_force(int number, const Candidate& candidate);
  base::Status trim(release::RevisionStore& store);

  const Subject& subject_;
  Records& records_;
  const Writes writes_;
  std::optional<release::EncodedRevision> prepared_;
};

}  // namespace chartwright::op
