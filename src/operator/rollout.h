// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "operator/attempts.h"
#include "operator/candidate_hooks.h"
#include "operator/remedy.h"
#include "operator/takeover.h"
#include "operator/uninstall.h"

namespace chartwright::op {

/// Brings a candidate into force, in Helm's order: definitions, hooks, children, hooks, record.
/// Blocks.
class Rollout {
 public:
  /// The parts of the reconcile that it uses. All must outlive it.
  struct Parts {
    const Subject& subject;
    Attempts& attempts;
    History& history;
    DefinitionStage& definitions;
    Applier& applier;
    LiveResource& live;
    Uninstall& uninstall;
    CandidateHooks& hooks;
    const Remedy& remedy;
    Takeover& takeover;
    Progress& progress;
  };

  explicit Rollout(const Parts& parts) : parts_(parts) {}

  /// Applies `candidate`, and records it. It refuses a record that does not fit before the first
  /// effect. Errors: those of the parts; kConflict where found_release() says so.
  base::Status run(const Candidate& candidate);
  /// Reports whether there is a release of that name already: the takeover has just found it.
  bool found_release() const { return found_release_; }
  /// Reports whether objects of a new manifest were applied that is not recorded as deployed.
  bool is_half_done() const { return applying_; }

 private:
  /// When a candidate is recorded.
  enum class Recording : uint8_t {
    kNone,   ///< It has a record already.
    kFirst,  ///< Before its first effect.
    kLast,   ///< After it was applied.
  };
  Recording recording_of(const Candidate& candidate) const;
  base::Status look_for_release();
  bool has_unknown_child(const std::vector<release::Desired>& desired) const;
  base::Status carry_out(const Candidate& candidate, const std::vector<release::Desired>& desired);

  const Parts parts_;
  bool found_release_ = false;
  bool applying_ = false;
};

}  // namespace chartwright::op
