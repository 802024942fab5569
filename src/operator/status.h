// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "operator/cr_state.h"
#include "release/observed.h"
#include "value/value.h"

namespace chartwright::op {

/// How one child stands.
struct ChildState {
  kube::ObjectRef ref;
  release::ReadyState state = release::ReadyState::kProgressing;
  std::string message;
};

/// Where the work on a custom resource stands.
enum class Progress : uint8_t {
  kWorking,   ///< Inventory written, children are being applied.
  kSettled,   ///< Everything is applied.
  kRetrying,  ///< An error that may pass by itself.
  kStalled,   ///< An error that needs another spec, chart or permission.
};

/// What a reconcile found, for the status.
struct StatusInput {
  int64_t generation = 0;
  Progress progress = Progress::kSettled;
  std::string waiting;  ///< For kWorking: what is waited for; empty: children are being applied.
  std::vector<ChildState> children;
  value::Value author;             ///< Fields from operator/status.yaml: a dict, or nil.
  std::optional<Failure> failure;  ///< What stands in the way, of this reconcile or an earlier one.
  base::WallTime now;
  value::Value previous;  ///< `state.status`, unpacked.
};

/// The whole status that we own, to be server-side applied: engine fields, conditions (kstatus' and
/// helm-operator's), the author's fields with `conditions` merged in by type. Times of conditions
/// whose status did not change are taken from `input.previous`, so that an unchanged situation
/// gives an unchanged status. Pure.
value::Value build_status(const CrState& state, const StatusInput& input);

/// Whether writing `wanted` would change what `current` (the live status) says; conditions of types
/// that `wanted` does not have count only if they are the engine's.
bool status_differs(const value::Value& current, const value::Value& wanted);

}  // namespace chartwright::op
