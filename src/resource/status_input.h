// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "health/ready_state.h"
#include "kube/object.h"
#include "resource/progress.h"
#include "value/value.h"

namespace chartwright::op {

/// The state of one child.
struct ChildState {
  kube::ObjectRef ref;
  health::ReadyState state = health::ReadyState::kProgressing;
  std::string message;
  std::string cause = {};  ///< The code of the cause (diagnosis/cause.h); empty: none is known.
};

/// The progress of the work on a custom resource.
enum class Activity : uint8_t {
  kWorking,   ///< Inventory written, children are being applied.
  kSettled,   ///< Everything is applied.
  kRetrying,  ///< An error that may pass by itself.
  kStalled,   ///< An error that needs another spec, chart or permission.
};

/// How far the uninstallation of a release has come.
enum class Uninstallation : uint8_t {
  kNone,
  kWaiting,  ///< The children were deleted, and some are still there.
  kDone,
};

/// The results of a reconcile that the status reports beside the state.
struct StatusInput {
  std::string release;   ///< The name of the release.
  std::string selector;  ///< The operator's selector of custom resources; empty: all.
  Uninstallation uninstallation = Uninstallation::kNone;
  int64_t generation = 0;
  Activity activity = Activity::kSettled;
  std::string waiting;  ///< For kWorking, the reason to wait; empty: children are being applied.
  std::string waiting_cause;  ///< The code of its cause (diagnosis::Code); empty: unknown.
  std::vector<ChildState> children;
  /// Keys of the spec that no template reads: see Bundle::unread_keys.
  std::vector<std::string> unread_keys;
  std::vector<std::string> unused_annotations;  ///< See unused_annotations().
  value::Value author;             ///< Fields from operator/status.yaml: a dict, or nil.
  std::optional<Failure> failure;  ///< The failure of this reconcile or an earlier one.
  /// `failure` is one of a render: the revision in force, and what is known of its children, stay
  /// as they are.
  bool leaves_revision = false;
  base::WallTime now;
  value::Value previous;  ///< `state.stored.status`, unpacked.
};

}  // namespace chartwright::op
