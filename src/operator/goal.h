// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "operator/remedy.h"

namespace chartwright::op {

/// The goal of a reconcile.
enum class Goal : uint8_t {
  kKeep,      ///< The revision in force stays; drift is repaired.
  kRender,    ///< The inputs are new: render and apply them.
  kRollback,  ///< Replay an earlier revision.
  kUndo,      ///< A failed attempt is to be undone.
};

/// Chooses the goal of a reconcile by what the user asks for, and by what is recorded. Sends
/// nothing.
class GoalChoice {
 public:
  /// All must outlive it.
  GoalChoice(const Subject& subject, const Inputs& inputs, const Candidates& candidates,
             const Remedy& remedy)
      : subject_(subject), inputs_(inputs), candidates_(candidates), remedy_(remedy) {}

  Goal choose();
  /// Reports whether a rollback is to be done. Notes in the state that a request cannot be met.
  bool rollback_is_due();
  /// Notes that the rollback that is asked for cannot be done.
  void refuse_rollback(const base::Error& error);
  /// Reports whether an attempt has begun, and goes on.
  bool has_begun() const;

 private:
  bool may_retry() const;
  bool asks_again(std::string_view request) const;

  const Subject& subject_;
  const Inputs& inputs_;
  const Candidates& candidates_;
  const Remedy& remedy_;
};

}  // namespace chartwright::op
