// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "history/candidates.h"
#include "operator/applier.h"

namespace chartwright::op {

/// Reports whether a custom resource has the finalizer of an uninstall, ours or helm-operator's.
bool has_uninstall_finalizer(const value::Value& cr);
/// Reports whether a custom resource was created so short a time ago that no process that knew it
/// can have ended since, or that its age is not known.
bool is_young(const Subject& subject);

/// Takes over a release that the status does not know: one of helm-operator, Helm or Flux whose
/// records have the names of the custom resource and of its chart, or one of ours whose status was
/// lost. No child is created or changed: what the other program has set becomes ours, by one write
/// for each child at most.
///
/// Anyone who may write Secrets, or a status, can make up a release. So a record that we have not
/// signed is believed only as far as the cluster or today's render confirms it, and is signed then:
/// its objects elsewhere count if the chart renders them, too, its hooks if the chart renders all
/// the same. Blocks.
class Takeover {
 public:
  struct Parts {
    InputDigests& digests;
    Records& records;
    LiveResource& live;
    Applier& applier;
  };
  /// The parts of the state that a record can fill in.
  struct Writes {
    Progress& progress;
    release::Inventory& inventory;
    std::vector<HistoryItem>& history;
    std::string& notes;
    std::string& key;
    bool& is_signed;
    std::string& trusted_records;
    RecordSearch& search;
  };

  /// All must outlive it.
  Takeover(const Subject& subject, const Parts& parts, const Writes& writes)
      : subject_(subject), parts_(parts), writes_(writes) {}

  /// Why a release is taken over.
  enum class Purpose : uint8_t {
    kKeep,
    kUninstall,  ///< The custom resource is being deleted: only what its deletion needs.
  };
  /// Fills in the state of a custom resource that has no revision from its records, if there are
  /// any. If none is of a revision that was deployed, the objects of the newest are children, and
  /// the next revision is an install. Records are looked for once in a process, and only if there
  /// may be some. A status that lacks nothing but its children gets back those of the revision in
  /// force and of the attempt. Errors: those of the client and of RevisionStore::load_all.
  base::Status run(Purpose purpose);
  /// Adds to the inventory the children of the revision in force, and of an attempt, that it lacks,
  /// so that they are pruned and deleted like the others; once in a process. Errors: those of the
  /// client.
  base::Status complete_children();
  /// Looks for records where run() saw no reason to. Reports whether there were any. Errors: as
  /// run.
  base::Result<bool> run_late();
  /// Looks at the revision in force of a status that is not signed, as an earlier Chartwright or
  /// somebody else has written it, or of a takeover that was interrupted. If its record is not
  /// signed, either, it has to be confirmed. Errors: those of the client.
  base::Status recognise();
  /// Signs a record that has no signature where the chart renders the same, or else where the
  /// cluster has its objects. Objects elsewhere that the chart renders become children. Errors:
  /// those of the client.
  base::Status compare(const Candidate& candidate);
  /// Signs it where the cluster has its objects: what the chart renders cannot be had. Errors:
  /// those of the client.
  base::Status confirm_by_cluster();
  /// Signs the other records of the history that have no signature, while those who run the
  /// operator allow it. Errors: those of the client.
  base::Status trust_history();
  /// Reports whether objects elsewhere may be children, if today's render has them.
  bool has_claims() const { return !elsewhere_.empty() || !subject_.state.unconfirmed.empty(); }
  /// Makes those of them children that `candidate`, today's render, has. Errors: those of the
  /// client.
  base::Status take_elsewhere(const Candidate& candidate, Purpose purpose);
  /// Reports whether the release that run() has taken over stays, although the chart has rendered
  /// another one: chance or the clock had a part in it, the inputs are the same, and the cluster
  /// shows that the record is true.
  bool keeps(const Candidate& candidate) const;

 private:
  struct Memory {
    bool was_trusted = false;  ///< The trust of this process was asked for.
    /// The inventory was compared with the records: a status may have lost some of its lines, and
    /// nothing shows it.
    bool has_all_children = false;
  };

  bool knows_no_release() const;
  bool may_have_release() const;
  bool has_lost_children() const;
  std::set<int> recorded_numbers() const;
  base::Result<release::Finding<release::Revision>> find(int number);
  base::Status restore_children(Purpose purpose);
  base::Status take_recorded(int number, Purpose purpose);
  void warn_of_record(int number);
  base::Status verify(std::vector<release::Revision>& revisions) const;
  bool has_digest_in_force() const;
  base::Status take(const std::vector<release::Revision>& revisions, Purpose purpose);
  base::Status take_readable(const std::vector<release::Revision>& revisions, size_t first,
                             Purpose purpose);
  base::Status take_children(const release::Revision& revision, Purpose purpose);
  base::Result<bool> take_child(const release::Desired& desired, Purpose purpose);
  base::Result<value::Value> take_fields(const release::Desired& desired, value::Value live,
                                         Purpose purpose);
  base::Status continue_from(const release::Revision& revision);
  base::Status enter(const std::vector<release::Revision>& revisions,
                     const release::Revision* in_force);
  void answer_rollback();
  base::Result<bool> cluster_confirms(const release::Revision& revision);
  void enter_digest();
  Memory& memory() const { return subject_.memories.of<Memory>(); }
  base::Result<bool> trust(HistoryItem& item);
  base::Status sign(release::Reach reach);

  const Subject& subject_;
  const Parts parts_;
  const Writes writes_;
  /// Whether what a record says is believed.
  enum class Belief : uint8_t {
    kNone,
    kSigned,     ///< We have signed it, as far as it reaches.
    kConfirmed,  ///< Each object of it is in the cluster, ours, and the same.
  };
  std::optional<release::Revision> taken_;
  std::string digest_;  ///< The digest of all that taken_ does.
  Belief belief_ = Belief::kNone;
  std::vector<release::Desired> elsewhere_;  ///< Objects of taken_ that the chart has to confirm.
};

}  // namespace chartwright::op
