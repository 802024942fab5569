// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/object.h"
#include "subject/subject.h"

namespace chartwright::op {

/// The searches for causes of a whole process: their pace, and the lists that it has no right to.
/// Thread-safe.
class CauseSearches {
 public:
  explicit CauseSearches(base::Clock& clock) : clock_(clock) {}

  /// Begins a search that cannot wait, if there are not too many of these in this second already.
  bool begin();
  /// Takes a turn for a search that can: it is not to ask again and again. Returns when the turn
  /// is; nullopt: at once. A turn that is not used is lost.
  std::optional<base::MonotonicTime> take_turn();
  /// Remembers for ten minutes that there is no right to list a kind in a namespace.
  void forbid(const kube::GroupKind& kind, std::string_view ns);
  bool is_forbidden(const kube::GroupKind& kind, std::string_view ns) const;

 private:
  using List = std::pair<kube::GroupKind, std::string>;

  /// A second, and how many searches it has.
  struct Second {
    /// Begins another second at `now`, if this one has no search or is over.
    void go_on(base::MonotonicTime now);

    base::MonotonicTime begin;
    int count = 0;
  };

  base::Clock& clock_;
  mutable base::Mutex mutex_;
  Second at_once_ CW_GUARDED_BY(mutex_);  ///< The one that begin() counts.
  Second turns_ CW_GUARDED_BY(mutex_);    ///< The last one with a turn: it may be yet to come.
  /// When a list may be tried again.
  std::map<List, base::MonotonicTime, std::less<>> forbidden_ CW_GUARDED_BY(mutex_);
};

/// Why a child is not ready.
struct ChildCause {
  std::string code;  ///< diagnosis::Code; empty where no cause was found.
  std::string text;  ///< For the status, as ChildState::message.
};

/// Searches for the causes for which children are not ready: some seconds after the last change of
/// a child that is not, and then at longer and longer intervals, at most every five minutes. A
/// child costs a read and three lists at most, and only a few are looked into at once; the others
/// have their turn later (CauseSearches). Does nothing
/// where Services::causes is null. Blocks. A request that fails leaves the search for later.
void search_causes(const Subject& subject);

/// Returns why an object that a reconcile waits for, such as the Job of a hook, is not ready:
/// searched for at the pace of search_causes, and once more where it `has_failed`. nullopt: nothing
/// is known. Blocks.
std::optional<ChildCause> cause_of_awaited(const Subject& subject, const kube::ObjectRef& ref,
                                           bool has_failed);

/// Returns how long the next search has to wait; nullopt if none waits. One that was due when this
/// reconcile last looked, by search_is_due or search_causes, is no longer waited for.
std::optional<base::Duration> next_search(const Subject& subject);
bool search_is_due(const Subject& subject);

/// Returns what the last search for a child has found, while the child says the same as then:
/// `message` is what it says itself.
std::optional<ChildCause> known_cause(const Subject& subject, const kube::ObjectRef& ref,
                                      std::string_view message);

}  // namespace chartwright::op
