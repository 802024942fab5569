// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "history/candidates.h"
#include "resource/decision.h"

namespace chartwright::op {

/// Chooses the goal of a reconcile by what the user asks for, and by what is recorded. Sends
/// nothing.
class GoalChoice {
 public:
  /// All must outlive it.
  GoalChoice(const Subject& subject, const Inputs& inputs, const Candidates& candidates,
             Progress& progress)
      : subject_(subject), inputs_(inputs), candidates_(candidates), progress_(progress) {}

  Decision choose();
  /// Reports whether a rollback is to be done. Notes in the state that a request cannot be met.
  bool rollback_is_due();
  /// Notes that the rollback that is asked for cannot be done.
  void refuse_rollback(const base::Error& error);
  /// Reports whether an attempt has begun, and goes on.
  bool has_begun() const;

 private:
  Standing standing();
  Standing::Pin pin() const;
  Standing::Failure failure() const;
  bool asks_again(std::string_view request) const;

  const Subject& subject_;
  const Inputs& inputs_;
  const Candidates& candidates_;
  Progress& progress_;
};

}  // namespace chartwright::op
