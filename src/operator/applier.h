// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "history/candidates.h"
#include "operator/definition_stage.h"
#include "release/apply.h"
#include "release/drift.h"
#include "release/plan.h"
#include "subject/children.h"
#include "subject/live_resource.h"

namespace chartwright::op {

/// Brings the objects of a release to their desired state, and keeps the inventory. Blocks.
class Applier {
 public:
  struct Parts {
    DefinitionStage& definitions;
    Children& children;
    LiveResource& live;
    Wait& wait;
    release::Inventory& inventory;
    release::Inventory& unconfirmed;
    UncachedChildren& uncached_children;
    bool& lacks_children;  ///< See StoredStatus.
    release::Contests& contests;
    PatchFindings& patches;
  };

  /// All must outlive it.
  Applier(const Subject& subject, const Parts& parts) : subject_(subject), parts_(parts) {}

  /// Returns the children of a revision in force that can be brought about: those of kinds that are
  /// not served are left out, and Children knows them. Errors: as desired_from.
  base::Result<std::vector<release::Desired>> possible_from(
      const std::vector<value::Value>& objects);
  /// Returns the objects, owned and addressed by their live names; for children, once their caches
  /// are complete. `coming`: CRDs that are in force, or about to be, beside those among the
  /// objects. Errors: those of release::make_desired, of the client, and of the caches.
  base::Result<std::vector<release::Desired>> desired_from(
      const std::vector<value::Value>& objects, release::Role role,
      std::vector<release::Definition> coming = {});
  /// Returns the children of a candidate. Errors: as above; of kinds that are not served it names
  /// all, each with a template that writes it.
  base::Result<std::vector<release::Desired>> desired_from(const Candidate& candidate);
  /// Adds to the inventory the children among the objects of a record of ours that it lacks.
  /// Errors: those of desired_from.
  base::Status remember(const std::vector<value::Value>& objects);
  /// Takes children that the status may only claim for what they are: a render, or a record of
  /// ours, has them, too.
  void confirm(const std::vector<release::Desired>& desired);
  /// Refuses to prune every child because a chart renders nothing, unless that is allowed: it is
  /// more often a mistake than a wish. Error: kInvalidArgument.
  base::Status guard_empty(const std::vector<release::Desired>& desired) const;
  /// Refuses a release whose children do not fit into the status, before the first of them is
  /// created. Error: kInvalidArgument.
  base::Status check_room(const std::vector<release::Desired>& desired) const;
  /// Writes new children into the status before the first of them is created, so that after a crash
  /// none is unknown. Errors: those of LiveResource::write_status.
  base::Status announce(const std::vector<release::Desired>& desired);
  /// Whether the recorded objects that are not desired are deleted.
  enum class Others : uint8_t { kPrune, kKeep };
  /// Plans and applies the objects of `role`. A child is forgotten only if the API server does not
  /// have it. Errors: the first one of release::Executor, or else of Children; a wait for kinds;
  /// and kCancelled where the custom resource is gone.
  base::Status execute(const std::vector<release::Desired>& desired, release::Role role,
                       Others others = Others::kPrune,
                       release::Occasion occasion = release::Occasion::kRollout);
  /// Reports whether execute() would write one of these partial objects.
  bool writes_any(const std::vector<release::Desired>& partial) const;
  /// Applies the children of a revision in force that can be brought about, once more if that shows
  /// that a kind has gone. Beyond `reach` nothing is touched. Errors: as possible_from, announce
  /// and execute.
  base::Status restore(const std::vector<value::Value>& objects,
                       release::Reach reach = release::Reach::kEverything);
  /// Asks the API server, by dry runs, whether it would take all objects. Errors: the first refusal
  /// that counts (release::Executor::rehearse), and those of the client. With kAll, a kind that is
  /// not served yet is kInvalid; with kCertain, its objects are not asked for.
  base::Status rehearse(const std::vector<release::Desired>& desired, release::Foresight foresight);
  /// Reports whether objects came into flight under the pace of a rule. A write that changes
  /// nothing is followed by no event, so others must not wait for one.
  bool set_in_motion() const { return set_in_motion_; }
  /// Reports whether there was anything to write, or to record, of an object.
  bool acted() const { return acted_; }
  /// Reports whether an object was applied of which something was left out that was not so before.
  bool left_out_anew() const { return left_out_anew_; }
  /// Which of the recorded objects count.
  enum class Extent : uint8_t {
    kAll,
    kApplied,   ///< Not those that were only announced.
    kDigested,  ///< Not Secrets whose digests are lost.
  };
  /// Reports whether each of these objects is as it was applied, as far as it is known, or its
  /// repair has to wait.
  bool in_sync(Extent extent) const;

 private:
  void confirm(const kube::ObjectRef& ref);
  /// Reports whether the inventory has an object of a manifest, in a namespace or in none.
  bool is_recorded(const value::Value& object) const;
  base::Status apply_possible(const std::vector<value::Value>& objects, release::Reach reach);
  /// The objects of a release that matter for others.
  struct Siblings {
    std::vector<release::Definition> coming;
    std::set<kube::ObjectRef> autoscaled;
  };
  Siblings siblings_among(const std::vector<value::Value>& objects,
                          std::vector<release::Definition> coming);
  base::Error all_unserved(const Candidate& candidate, const base::Error& first);
  base::Result<std::optional<release::Desired>> make_desired(const value::Value& object,
                                                             release::Role role,
                                                             const Siblings& siblings) const;
  std::vector<release::Desired> with_live_names(std::vector<release::Desired> desired) const;
  void look_for_dropped(const std::vector<release::Desired>& desired,
                        const release::Inventory& inventory);
  std::string owner_of(const release::Step& step) const;
  void note_targets(release::Plan& plan);
  void note_conflicts(const release::Plan& plan);
  base::Status compare_drift(release::Plan& plan) const;
  base::Result<std::string> drift_of(const release::Step& step) const;
  void tell_drifts(const release::Plan& plan) const;
  void follow_drift(const release::Inventory& inventory) const;
  base::Status confirm_before_creating(const release::Plan& plan);
  base::Status run(const release::Plan& plan, release::Role role, release::Inventory& inventory);
  void note_repair(const release::Repair& repair);
  release::Executor executor() const;
  release::Inventory recorded(release::Role role) const;
  release::PlanInput plan_input(const std::vector<release::Desired>& desired,
                                const release::Inventory& inventory) const;

  const Subject& subject_;
  const Parts parts_;
  bool acted_ = false;
  bool set_in_motion_ = false;
  bool left_out_anew_ = false;
};

}  // namespace chartwright::op
