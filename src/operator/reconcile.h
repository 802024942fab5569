// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bundle/watch.h"
#include "host/secret_mask.h"
#include "operator/services.h"
#include "operator/status.h"
#include "release/apply.h"
#include "release/definition.h"
#include "release/plan.h"
#include "release/revision.h"
#include "runtime/controller.h"

namespace chartwright::op {

/// What a reconcile has to bring about.
enum class Goal : uint8_t {
  kKeep,      ///< The revision in force stays; repair what drifted.
  kRender,    ///< The inputs are new: render and apply them.
  kRollback,  ///< Replay an earlier revision.
};

/// A desired state on its way to become a revision.
struct Candidate {
  std::string manifest;
  std::vector<value::Value> objects;
  std::string notes;
  value::Value config;
  value::Value chart_metadata;
  std::string description;
  std::string inputs;  ///< Digest of the current inputs, whatever the candidate was made from.
  std::string digest;  ///< Of the manifest, as the status has it.
  std::optional<Pin> pin;
  std::optional<std::vector<host::Lookup>> lookups;
  std::vector<release::Definition> definitions;  ///< To be in force before the objects.
};

/// What the caches hold for the templates of operator/. Empty where there are none.
struct ClusterSnapshot {
  value::Value cr;
  std::vector<runtime::Stored> owned;
  std::vector<std::pair<std::string, std::vector<runtime::Stored>>> related;
};

/// One reconcile of one custom resource, from the caches to the status. Lives on one worker's
/// stack.
class Reconcile {
 public:
  Reconcile(const bundle::Watch& watch, const Services& services,
            const runtime::ReconcileContext& context, const value::Value& cr, CrState& state);

  runtime::Outcome run();

 private:
  // What to do.
  base::Status prepare();
  base::Status add_lookups();
  Goal choose_goal();
  bool pin_holds() const;
  bool rollback_is_due();
  std::optional<std::string_view> requested_rollback() const;
  base::Status bring_about(Goal goal);
  void warn_of_overrides() const;  // values.cc

  /// Does what renders `material`, when it is this pass's turn.
  template <typename Work>
  std::invoke_result_t<Work> in_turn(host::Material material, Work work) {
    return turn_.run(mark_of(material), std::move(work));
  }
  host::MarkKey mark_of(host::Material material) const;
  base::Result<std::vector<value::Value>> parse(const std::string& manifest);
  /// The revisions of this custom resource, whose records are read when it is this pass's turn.
  release::RevisionStore records();

  // Digests that the status keeps (digests.cc).
  base::Status name_inputs();
  base::Result<std::string> digest_of(const std::string& inputs) const;
  base::Status ensure_key();
  base::Status bring_up_to_date();
  bool is_in_force(const std::string& digest) const;

  // What a kept revision needs.
  base::Status keep();
  base::Status repair();
  std::vector<kube::Gvk> recorded_kinds() const;
  bool is_unserved(const kube::Gvk& gvk) const;

  // Candidates (candidate.cc).
  base::Result<release::Revision> load(int number);
  base::Result<Candidate> render();
  base::Result<Candidate> replay(std::string_view request);
  base::Result<int> rollback_target(std::string_view request) const;
  base::Status record(const Candidate& candidate);
  release::Revision next_revision(const Candidate& candidate) const;
  void enter_history(int number, const Candidate& candidate);
  base::Status trim_history(release::RevisionStore& store);

  // Applying.
  base::Status apply(const Candidate& candidate);
  base::Result<std::vector<release::Desired>> desired_from(
      const std::vector<value::Value>& objects, release::Role role,
      std::vector<release::Definition> coming = {});
  base::Status guard_empty(const std::vector<release::Desired>& desired) const;
  base::Status announce(const std::vector<release::Desired>& desired);
  base::Status execute(const std::vector<release::Desired>& desired, release::Role role);
  base::Status ensure_alive(const release::Plan& plan);
  base::Status confirm_alive();
  base::Error gone();
  base::Status apply_patches();
  release::PlanInput plan_input(const std::vector<release::Desired>& desired,
                                const release::Inventory& inventory) const;

  // CRDs, and what has to wait for them (staging.cc).
  struct Mapped {
    kube::Scope scope;
    release::Serving serving;
  };
  /// What tells whether a recorded CRD came from a crds/ folder.
  enum class Evidence : uint8_t {
    kChart,           ///< The chart as it is; costs no request.
    kChartAndRecord,  ///< And the revision in force, which another version of the chart may have
                      ///< made.
  };
  base::Error wait_for(std::string what);
  base::Status wait_out(base::Status result);
  base::Duration pace() const;
  base::Result<std::vector<release::Definition>> chosen_definitions(
      const std::vector<helm::Crd>& files) const;
  base::Status install_definitions(const std::vector<release::Definition>& wanted);
  base::Status revisit_definitions();
  base::Result<Mapped> map_kind(const kube::Gvk& gvk,
                                const std::vector<release::Definition>& coming);
  std::string hold_back(release::Plan& plan) const;
  base::Status release_definitions(Evidence evidence, const std::vector<release::Desired>& kept);
  base::Result<bool> is_everybodys(const std::string& name, Evidence evidence);
  bool is_no_child(const value::Value& object) const;

  // Deletion (uninstall.cc).
  runtime::Outcome remove();
  base::Status ensure_finalizer(const std::vector<release::Desired>& desired);
  base::Status write_finalizers(const std::vector<std::string>& finalizers);
  base::Result<bool> delete_children();

  // What the pass goes by beside the spec (surroundings.cc).
  base::Result<const ClusterSnapshot*> snapshot();
  base::Result<std::string> input_fingerprint();
  bool is_settled();
  base::Result<const value::Value*> scope();

  // The end.
  std::vector<ChildState> child_states() const;
  base::Result<value::Value> author_status();
  runtime::Outcome finish(base::Status result);
  runtime::Outcome come_back() const;
  runtime::Outcome come_back_soon();
  Failure failure_of(const base::Error& error) const;
  base::Status write_status(Progress progress, const value::Value& author,
                            const std::optional<Failure>& failure);
  base::Result<kube::Applied> apply_status(const value::Value& status);
  std::string newest_version() const;

  const bundle::Watch& watch_;
  const Services& services_;
  const runtime::ReconcileContext& context_;
  const value::Value& cr_;
  CrState& state_;
  const release::Owner owner_;
  const kube::Call call_;
  const release::Adoption adoption_;
  ReleaseInputs inputs_;
  std::string spec_key_;       ///< Of spec and chart.
  std::string inputs_key_;     ///< The same with what the chart looked up, where it may.
  std::string attempt_;        ///< The same with the requests that another attempt would heed.
  std::string spec_digest_;    ///< Of spec_key_, as the status has it.
  std::string inputs_digest_;  ///< Of inputs_key_, as the status has it.
  host::SecretMask secrets_;   ///< Of the Secrets that the chart looked up in this pass.
  host::RenderTurn turn_;
  base::Duration period_{};
  Phase phase_ = Phase::kRender;
  /// Looked up when first needed: at the start to see whether anything changed, or after an apply.
  std::optional<ClusterSnapshot> snapshot_;
  std::optional<value::Value> scope_;
  std::string fingerprint_;    ///< Key of what a pass without a new wish goes by; empty: unknown.
  bool seen_alive_ = false;    ///< The API server has confirmed the custom resource in this pass.
  bool gone_ = false;          ///< It said that there is none, or another one of that name.
  bool brings_kinds_ = false;  ///< CRDs are part of the release.
  std::optional<std::string> waiting_;  ///< For what; the pass ends, and another one goes on.
};

/// How often to come back without an event: the custom resource's annotation, the watch, or
/// `fallback`. Error: kInvalidArgument where the annotation is no Go duration.
base::Result<base::Duration> resync_period(const value::Value& cr, const bundle::Watch& watch,
                                           base::Duration fallback);

/// Values given to the chart: the spec with the watch's overrides. Error: kInvalidArgument where
/// the spec is no map or an override does not parse.
base::Result<value::Value> release_config(const value::Value& cr, const bundle::Watch& watch);

}  // namespace chartwright::op
