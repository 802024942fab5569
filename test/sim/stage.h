// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/thread.h"
#include "test/release/fake_client.h"
#include "test/sim/journal.h"
#include "test/sim/plan.h"
#include "test/sim/scheduler.h"
#include "test/sim/script.h"

namespace chartwright::sim {

/// The namespace of the operator itself.
inline constexpr const char* kOwnNamespace = "ops";

/// The things that the processes of a run share: the API server with the controllers of a cluster,
/// the plan, and the journal.
class Stage {
 public:
  Stage(const Plan& plan, Scheduler& scheduler);
  /// Ends the controllers.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

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
  base::Status perform(const std::string& step);
  /// Returns how long the watches of a kind are held for a process alone.
  base::Duration held(const std::string& process, const std::string& kind) const;
  /// Tells the controllers that the server has changed.
  void note_change();
  /// Adds a row to the journal, with the time and the thread.
  void tell(Row row);

  release::testing::FakeClient server;
  Scheduler& scheduler;
  SimClock clock{scheduler};
  Script script;
  Journal journal;
  base::Status bad_step;  ///< The error of a step in the plan, if one cannot be read.

 private:
  /// The body of the thread of the controllers: they collect the children of deleted owners, and
  /// let Jobs complete.
  void control();
  bool collect_one();
  bool complete_one();
  /// Waits until the server has changed. Returns false at the end.
  bool await_change();
  base::Status hold(std::string_view kind, std::string_view duration);
  void change(const std::string& step, const kube::ObjectRef& ref,
              const std::function<void()>& act);

  /// By process and kind.
  std::map<std::pair<std::string, std::string>, base::MonotonicTime> held_of_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool is_changed_ CW_GUARDED_BY(mutex_) = false;
  bool ends_ CW_GUARDED_BY(mutex_) = false;
  /// When watches that are held go on; nullopt: none is.
  std::optional<base::MonotonicTime> held_until_ CW_GUARDED_BY(mutex_);
  base::Thread controllers_;
};

/// Returns the reference of "KIND NAME" in the namespace "shop".
kube::ObjectRef ref_of_step(const std::string& kind, const std::string& name);

}  // namespace chartwright::sim
