// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/object.h"

namespace chartwright::runtime {

/// What a queue reports about itself; each hook may be empty, must be quick and thread-safe, and
/// is called with no lock held.
struct QueueHooks {
  std::function<void()> on_add;             ///< A key became dirty.
  std::function<void(int delta)> on_depth;  ///< That many more keys are ready.
  std::function<void(base::Duration waited)> on_get;
  std::function<void(base::Duration worked)> on_done;
};

/// Keys waiting for a worker. Contract (source: client-go util/workqueue):
/// - fair: keys are handed out in the order in which they were added;
/// - stingy: a key added several times before a worker gets it is handed out once;
/// - exclusive: a key is never with two workers; added meanwhile, it comes back after `done`;
/// - delayed: a key added with a delay becomes ready once it has passed; of several delays the
///   earliest counts;
/// - after shutdown nothing is accepted, and what was ready is still handed out.
/// Thread-safe.
class WorkQueue {
 public:
  /// `clock` must outlive the queue.
  explicit WorkQueue(base::Clock& clock, QueueHooks hooks = {});

  void add(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);
  /// Adds `key` once `delay` has passed; at once for a delay that is not positive.
  void add_after(const kube::ObjectRef& key, base::Duration delay) CW_EXCLUDES(mutex_);
  /// Blocks for the next key; the caller passes it to `done` exactly once. nullopt: shut down and
  /// nothing ready is left.
  std::optional<kube::ObjectRef> get() CW_EXCLUDES(mutex_);
  /// The caller has finished with `key`.
  void done(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);
  /// Refuses new keys, drops delayed ones and lets waiting workers go once the queue is empty.
  void shut_down() CW_EXCLUDES(mutex_);
  /// The same, and drops what no worker has yet.
  void shut_down_now() CW_EXCLUDES(mutex_);
  /// How long the keys with a worker have been there.
  struct Running {
    base::Duration total{};
    base::Duration longest{};
  };
  Running running() const CW_EXCLUDES(mutex_);
  /// Keys ready for a worker.
  size_t depth() const CW_EXCLUDES(mutex_);

 private:
  using Waiting = std::multimap<base::MonotonicTime, kube::ObjectRef>;
  /// What hooks are told once the lock is free.
  struct Report;

  void enqueue(const kube::ObjectRef& key, Report& report) CW_REQUIRES(mutex_);
  void release_due(Report& report) CW_REQUIRES(mutex_);
  void wait() CW_REQUIRES(mutex_);
  void tell(const Report& report) CW_EXCLUDES(mutex_);

  base::Clock& clock_;
  const QueueHooks hooks_;

  mutable base::Mutex mutex_;
  base::CondVar ready_;
  /// The order of work. Every key here is in dirty_ and not in processing_.
  std::deque<kube::ObjectRef> queue_ CW_GUARDED_BY(mutex_);
  /// Keys that need work, with the time at which they were added.
  std::unordered_map<kube::ObjectRef, base::MonotonicTime> dirty_ CW_GUARDED_BY(mutex_);
  /// Keys with a worker, with the time at which it got them. They may be in dirty_ too.
  std::unordered_map<kube::ObjectRef, base::MonotonicTime> processing_ CW_GUARDED_BY(mutex_);
  /// Delayed keys by due time; each key at most once, found through due_.
  Waiting waiting_ CW_GUARDED_BY(mutex_);
  std::unordered_map<kube::ObjectRef, Waiting::iterator> due_ CW_GUARDED_BY(mutex_);
  bool shutting_down_ CW_GUARDED_BY(mutex_) = false;
};

}  // namespace chartwright::runtime
