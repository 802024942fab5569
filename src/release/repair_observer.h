// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "kube/client.h"
#include "release/inventory.h"
#include "release/plan.h"

namespace chartwright::release {

/// A step that reverted a change by others to a child.
struct Repair {
  kube::ObjectRef ref;
  Reason reason = Reason::kDrifted;  ///< kDrifted, kOrphaned or kMissing.
  value::Value before;               ///< With managedFields; nil: there was none, or it is unknown.
  value::Value after;
};

/// Gets each repair once it is done.
using OnRepair = std::function<void(const Repair&)>;

/// Watches an Executor write, and hands over what was repaired. Only what others did to an object
/// that had been applied is a repair. Blocks: an object that is repaired is read before that, as
/// caches have only digests. For one thread.
class RepairObserver {
 public:
  /// `client` and `call` must outlive it.
  RepairObserver(kube::Client& client, const kube::Call& call, OnRepair on_repair)
      : client_(client), call_(call), on_repair_(std::move(on_repair)) {}

  /// The step is about to be written; `inventory` says what was applied before. Without an answer
  /// of the API server, the object before is unknown.
  void look(const Step& step, const Inventory& inventory);
  /// The step, a create, has found this object in its place.
  void found(const value::Value& live) { before_ = live; }
  /// The step is written.
  void note(const Step& step, const kube::Applied& applied);

 private:
  kube::Client& client_;
  const kube::Call& call_;
  OnRepair on_repair_;
  bool repairs_ = false;  ///< Whether the step repairs its object.
  value::Value before_;
};

}  // namespace chartwright::release
