// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "runtime/watcher.h"
#include "value/value.h"
#include "views/name_rule.h"
#include "views/projector.h"

namespace chartwright::views {

using Shown = std::shared_ptr<const value::Value>;

/// A change of a view: an object appears (`before` is null), changes, or goes (`after` is null). A
/// bookmark has neither.
struct FeedEvent {
  uint64_t number = 0;
  std::string resource_version;
  Shown before;
  Shown after;
};

/// The objects that a view shows, as of the events of its source so far, and the last changes. It
/// has what an index and a watch need: no source is kept, only what is shown of it. One thread
/// applies events; any may read.
class Feed {
 public:
  /// `projector` must outlive the feed.
  explicit Feed(const Projector& projector) : projector_(projector) {}

  /// Applies an event of the source's watcher. Projects on the calling thread, with no lock held.
  void apply(runtime::WatchEvent event) CW_EXCLUDES(mutex_);
  bool has_synced() const CW_EXCLUDES(mutex_);
  /// Returns the resourceVersion up to which everything has been seen; "" before the first sync.
  std::string resource_version() const CW_EXCLUDES(mutex_);

  struct Snapshot {
    std::vector<Shown> objects;  ///< Ordered by namespace and name of their sources.
    std::string resource_version;
  };
  /// Returns the objects of a namespace ("": of all). Error: that of a source that cannot be shown.
  base::Result<Snapshot> snapshot(std::string_view ns) const CW_EXCLUDES(mutex_);
  /// A name in a namespace.
  using Key = std::pair<std::string, std::string>;
  /// Returns the source of the object with that namespace and name; nullopt if there is none.
  std::optional<Key> source_of(const Key& key) const CW_EXCLUDES(mutex_);
  /// Returns what the feed shows of exactly this version of `source`: null if it is not shown;
  /// nullopt if the feed has another version of it, or none, or could not show it.
  std::optional<Shown> shown(const value::Value& source) const CW_EXCLUDES(mutex_);
  /// Returns how the names of objects in a namespace ("": in all) follow from those of their
  /// sources; nullopt if they do not all follow from one rule, or are too few to tell.
  std::optional<NameRule> name_rule(std::string_view ns) const CW_EXCLUDES(mutex_);

  /// The place of a watch between two events.
  struct Cursor {
    uint64_t epoch = 0;
    uint64_t number = 0;  ///< The number of the next event.
  };
  /// Returns the place after `resource_version`. Error: kExpired (410) if events after it are no
  /// longer known.
  base::Result<Cursor> after(std::string_view resource_version) const CW_EXCLUDES(mutex_);
  /// Returns the next events of all namespaces, at most `max`, and moves `cursor` past them.
  /// Errors: kExpired if the events are no longer known; that of a source in the namespace `ns`
  /// ("": in any) that cannot be shown.
  base::Result<std::vector<FeedEvent>> next(Cursor& cursor, std::string_view ns, size_t max) const
      CW_EXCLUDES(mutex_);

  /// Calls `wake` after each change, on the thread that applies it, until the returned handle is
  /// destroyed. `wake` must not block.
  std::shared_ptr<void> subscribe(std::function<void()> wake) CW_EXCLUDES(mutex_);

 private:
  /// The state of one source: an object, nothing, or an error.
  struct Entry {
    std::string source_version;
    Shown object;
    std::optional<base::Error> failure;
  };
  using Entries = std::map<Key, Entry>;

  Entry project(value::Value source) const CW_EXCLUDES(mutex_);
  void collect(value::Value source) CW_EXCLUDES(mutex_);
  void swap_in(std::string resource_version) CW_EXCLUDES(mutex_);
  void put(value::Value source) CW_EXCLUDES(mutex_);
  void erase(const value::Value& source) CW_EXCLUDES(mutex_);
  void change(const Key& source, std::optional<Entry> entry, std::string resource_version)
      CW_EXCLUDES(mutex_);
  void push(FeedEvent event) CW_REQUIRES(mutex_);
  void index(const Key& source, const Shown& object) CW_REQUIRES(mutex_);
  void unindex(const Key& source, const Shown& object) CW_REQUIRES(mutex_);
  void wake_all() CW_EXCLUDES(mutex_);

  const Projector& projector_;
  Entries incoming_;  ///< The list being collected. For the applying thread.
  bool collecting_ = false;
  mutable base::Mutex mutex_;
  Entries entries_ CW_GUARDED_BY(mutex_);
  /// The key is the name that is shown.
  std::map<Key, std::set<Key>> sources_ CW_GUARDED_BY(mutex_);
  std::map<Key, base::Error> failures_ CW_GUARDED_BY(mutex_);  ///< The key is the source.
  std::deque<FeedEvent> events_ CW_GUARDED_BY(mutex_);
  uint64_t next_number_ CW_GUARDED_BY(mutex_) = 1;
  uint64_t epoch_ CW_GUARDED_BY(mutex_) = 0;
  std::string floor_ CW_GUARDED_BY(mutex_);  ///< Everything after this version is in `events_`.
  std::string resource_version_ CW_GUARDED_BY(mutex_);
  bool synced_ CW_GUARDED_BY(mutex_) = false;
  using Wake = std::function<void()>;
  std::vector<std::weak_ptr<Wake>> wakes_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::views
