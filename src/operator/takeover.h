// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "operator/applier.h"
#include "operator/candidates.h"

namespace chartwright::op {

/// Takes over a release that the status does not know: one of helm-operator, Helm or Flux whose
/// records have the names of the custom resource and of its chart, or one of ours whose status was
/// lost. No child is created or changed: what the other program has set becomes ours, by one write
/// for each child at most. Blocks.
class Takeover {
 public:
  /// All must outlive it.
  Takeover(const Subject& subject, InputDigests& digests, Records& records, LiveResource& live,
           Applier& applier)
      : subject_(subject), digests_(digests), records_(records), live_(live), applier_(applier) {}

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
  /// Notes that the record is true where the chart renders the same.
  void compare(const Candidate& candidate);
  /// Reports whether the release that run() has taken over stays, although the chart has rendered
  /// another one: chance or the clock had a part in it, the inputs are the same, and the cluster
  /// shows that the record is true.
  bool keeps(const Candidate& candidate) const;

 private:
  bool knows_no_release() const;
  bool may_have_release() const;
  bool has_lost_children() const;
  std::set<int> recorded_numbers() const;
  base::Result<release::Revision> load(int number);
  base::Status restore_children(Purpose purpose);
  base::Status take_recorded(int number, Purpose purpose);
  void warn_of_record(int number);
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

  const Subject& subject_;
  InputDigests& digests_;
  Records& records_;
  LiveResource& live_;
  Applier& applier_;
  std::optional<release::Revision> taken_;
  std::string digest_;      ///< Of what taken_ does.
  bool is_proven_ = false;  ///< Each object of the record is in the cluster, ours, and the same.
};

}  // namespace chartwright::op
