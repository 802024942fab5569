// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The state that somebody waits for.
struct WaitGoal {
  enum class Kind : uint8_t { kReady, kRevision, kDeleted };
  Kind kind = Kind::kReady;
  int64_t revision = 0;  ///< For kRevision.
};

/// Reads "ready", "revision=4" or "deleted". Error: kInvalidArgument.
base::Result<WaitGoal> parse_goal(const std::string& text);

/// How far a custom resource is from a goal.
struct WaitVerdict {
  enum class State : uint8_t {
    kReached,
    kNotYet,
    kNever,  ///< Waiting is of no use.
  };
  State state = State::kNotYet;
  std::string says;  ///< "is ready", "is not ready: ChildFailed: ..."; one line.
};

/// Compares a live custom resource, which may have any content, with a goal. `uid` is that of the
/// custom resource for which somebody waits: one that is created anew in its place is another one.
WaitVerdict judge(const value::Value& cr, const WaitGoal& goal, std::string_view uid);

}  // namespace chartwright::cmd
