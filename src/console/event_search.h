// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "console/connection.h"
#include "report/event_line.h"
#include "report/tree_report.h"

namespace chartwright::cmd {

/// Finds the Events about custom resources, their children, and what these own. Several threads may
/// be in follow() at once, after list().
class EventSearch {
 public:
  /// Receives an Event.
  using Sink = std::function<void(const EventLine& line)>;

  /// `connection` must outlive it.
  EventSearch(std::vector<TreeReport> trees, Connection& connection);

  /// Returns the namespaces that have such Events.
  const std::set<std::string>& namespaces() const { return namespaces_; }
  /// Returns the Events that there are, the oldest first: the newest kEventsMax. A namespace that
  /// cannot be read becomes a gap.
  std::vector<EventLine> list();
  const std::vector<std::string>& gaps() const { return gaps_; }

  /// Passes each Event of a namespace that comes after those of list() to `sink`, one at a time.
  /// Returns why it cannot go on: the caller lacks the right to list or watch Events.
  base::Error follow(const std::string& ns, const Sink& sink);

  static constexpr size_t kEventsMax = 1000;

 private:
  /// Calls `take` with the Events of a namespace. Returns the version of the list.
  base::Result<std::string> each(const std::string& ns,
                                 const std::function<void(const value::Value&)>& take) const;
  /// Reports whether an Event is about an object of the trees.
  bool concerns(const value::Value& event) CW_EXCLUDES(mutex_);
  /// The same, where that object may be new: looks for its owner.
  bool concerns_with_news(const value::Value& event) CW_EXCLUDES(mutex_);
  /// Reports whether the Event was not told in that version before.
  bool is_news(const value::Value& event) CW_EXCLUDES(mutex_);
  void tell(const value::Value& event, const Sink& sink);
  /// Follows a namespace from a version of its Events on, or from a new list where that is "", and
  /// notes how far it came. Returns when the API server ends the watch.
  base::Status go_on(const std::string& ns, std::string& version, const Sink& sink);

  Connection& connection_;
  std::set<std::string> namespaces_;
  std::map<std::string, std::string, std::less<>>
      versions_;  ///< The versions of the lists, by namespace.
  std::vector<std::string> gaps_;
  base::Mutex mutex_;
  base::Mutex telling_;  ///< Held while a sink works.
  std::vector<TreeReport> trees_ CW_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> strangers_ CW_GUARDED_BY(mutex_);  ///< Their uids.
  std::map<std::string, std::string, std::less<>> told_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::cmd
