// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "kube/object.h"
#include "sim/stage.h"
#include "test/sim/plan.h"

namespace chartwright::sim {

/// The namespace of the operator itself.
inline constexpr const char* kOwnNamespace = "ops";

/// The stage of a plan, with the steps of users.
class SubjectStage final : public Stage {
 public:
  SubjectStage(const Plan& plan, Scheduler& scheduler) : Stage(scheduler, plan.incidents) {}

  /// Lets somebody do something:
  /// - "put KIND NAME KEY=VALUE...": creates a custom resource or gives it another spec;
  /// - "delete KIND NAME", "erase KIND NAME": deletes an object, the latter regardless of
  ///   finalizers;
  /// - "paint KIND NAME VALUE": sets data.color of an object that is there;
  /// - "squat KIND NAME": creates an object that belongs to somebody else, unless there is one;
  /// - "annotate KIND NAME KEY VALUE": sets an annotation;
  /// - "hold KIND DURATION [PROCESS]": no watch of that kind, or of that process, gets an event for
  ///   so long;
  /// - "cut KIND": the watches of that kind end;
  /// - "expire KIND": so they do, and no new one can begin where one has ended.
  /// Errors: kParse.
  base::Status perform(const std::string& step) override;
};

/// Returns the reference of "KIND NAME" in the namespace "shop".
kube::ObjectRef ref_of_step(const std::string& kind, const std::string& name);

}  // namespace chartwright::sim
