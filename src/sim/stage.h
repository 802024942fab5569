// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread.h"
#include "kube/object.h"
#include "model/memory_server.h"
#include "sim/incident.h"
#include "sim/journal.h"
#include "sim/scheduler.h"
#include "sim/script.h"

namespace chartwright::sim {

/// The things that the processes of a run share: the API server with the controllers of a cluster,
/// what is to go wrong, and the journal.
class Stage {
 public:
  /// `of` must outlive it.
  Stage(Scheduler& of, std::vector<Incident> incidents);
  /// Ends the controllers.
  virtual ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Lets somebody do a step of an incident. Error: kParse for a step that it does not know; this
  /// class knows none.
  virtual base::Status perform(const std::string& step);
  /// Runs `act`, which changes the object on the server for somebody other than the processes,
  /// without interruption. The journal calls it `step`.
  void change(const std::string& step, const kube::ObjectRef& ref,
              const std::function<void()>& act);
  /// Returns how long the watches of a kind are held for a process alone.
  base::Duration held(const std::string& process, const std::string& kind) const;
  /// Tells the controllers that the server has changed.
  void note_change();
  /// Adds a row to the journal, with the time and the thread.
  void tell(Row row);

  model::MemoryServer server;
  Scheduler& scheduler;
  SimClock clock{scheduler};
  Script script;
  Journal journal;
  base::Status bad_step;  ///< The error of a step in an incident, if one cannot be carried out.

 protected:
  /// No watch of that kind gets an event for so long.
  void hold(const kube::GroupKind& kind, base::Duration length);
  /// No watch of that process for kinds of that name gets an event for so long.
  void hold_for(const std::string& process, const std::string& kind, base::Duration length);

 private:
  /// The body of the thread of the controllers: they collect the children of deleted owners, and
  /// let Jobs complete.
  void control();
  bool collect_one();
  bool complete_one();
  /// Waits until the server has changed. Returns false at the end.
  bool await_change();

  /// The ends of the times, by process and kind.
  std::map<std::pair<std::string, std::string>, base::MonotonicTime> held_of_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool is_changed_ CW_GUARDED_BY(mutex_) = false;
  bool ends_ CW_GUARDED_BY(mutex_) = false;
  /// When watches that are held go on; nullopt: none is.
  std::optional<base::MonotonicTime> held_until_ CW_GUARDED_BY(mutex_);
  base::Thread controllers_;
};

}  // namespace chartwright::sim
