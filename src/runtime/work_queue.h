// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/object.h"

namespace chartwright::runtime {

/// Callbacks of a queue, for metrics. Each may be empty, must be quick and thread-safe, and is
/// called with no lock held.
struct QueueHooks {
  std::function<void()> on_add;             ///< A key became dirty.
  std::function<void(int delta)> on_depth;  ///< The number of ready keys changed by `delta`.
  std::function<void(base::Duration waited)> on_get;
  std::function<void(base::Duration worked)> on_done;
};

/// The order of the keys in a queue.
enum class Priority : uint8_t {
  kNormal,
  kLow,  ///< While there are others, only one in WorkQueue::kLowShare keys is of these.
};

/// A queue of keys waiting for a worker. Contract (source: client-go util/workqueue, and
/// controller-runtime's priorityqueue for the priorities):
/// - fair: keys of one priority are handed out in the order in which they were added; a key added
///   with both has the higher one;
/// - stingy: a key added several times before a worker gets it is handed out once;
/// - exclusive: no two workers have the same key; one that is added while a worker has it is
///   queued again after `done`;
/// - delayed: a key added with a delay becomes ready when that has passed; the earliest of several
///   delays counts, and none once a worker gets the key: it decides anew when to come back;
/// - after shutdown no key is accepted, but those that were ready are still handed out.
/// Thread-safe.
class WorkQueue {
 public:
  /// `clock` must outlive the queue.
  explicit WorkQueue(base::Clock& clock, QueueHooks hooks = {});

  static constexpr uint32_t kLowShare = 5;

  void add(const kube::ObjectRef& key, Priority priority = Priority::kNormal) CW_EXCLUDES(mutex_);
  /// Adds `key` once `delay` has passed; at once if `delay` is not positive.
  void add_after(const kube::ObjectRef& key, base::Duration delay) CW_EXCLUDES(mutex_);
  /// Blocks until a key is ready and returns it. The caller must pass it to `done` exactly once.
  /// Returns nullopt when the queue is shut down and no ready key is left.
  std::optional<kube::ObjectRef> get() CW_EXCLUDES(mutex_);
  /// Marks `key`, returned by `get`, as finished.
  void done(const kube::ObjectRef& key) CW_EXCLUDES(mutex_);
  /// Refuses new keys, drops delayed ones and makes `get` return nullopt once the queue is empty.
  void shut_down() CW_EXCLUDES(mutex_);
  /// Like shut_down, but also drops every key that no worker has yet.
  void shut_down_now() CW_EXCLUDES(mutex_);
  /// How long workers have had their current keys.
  struct Running {
    base::Duration total{};
    base::Duration longest{};
  };
  Running running() const CW_EXCLUDES(mutex_);
  /// Keys ready for a worker.
  size_t depth() const CW_EXCLUDES(mutex_);

 private:
  using Waiting = std::multimap<base::MonotonicTime, kube::ObjectRef>;
  /// The hook calls to make once the lock is released.
  struct PendingHooks;
  /// A key that needs work.
  struct Need {
    base::MonotonicTime since;
    Priority priority = Priority::kNormal;
  };

  void enqueue(const kube::ObjectRef& key, Priority priority, PendingHooks& pending)
      CW_REQUIRES(mutex_);
  void make_ready(const kube::ObjectRef& key, Priority priority, PendingHooks& pending)
      CW_REQUIRES(mutex_);
  bool is_ready_as_low(const kube::ObjectRef& key) const CW_REQUIRES(mutex_);
  /// Takes the next of the ready keys, of which there is one.
  kube::ObjectRef take() CW_REQUIRES(mutex_);
  void release_due(PendingHooks& pending) CW_REQUIRES(mutex_);
  void forget_delay(const kube::ObjectRef& key) CW_REQUIRES(mutex_);
  void wait() CW_REQUIRES(mutex_);
  void run_hooks(const PendingHooks& pending) CW_EXCLUDES(mutex_);

  base::Clock& clock_;
  const QueueHooks hooks_;

  mutable base::Mutex mutex_;
  base::CondVar ready_;
  /// The ready keys in order. Each is in dirty_ and not in processing_.
  std::deque<kube::ObjectRef> queue_ CW_GUARDED_BY(mutex_);
  /// Keys of low priority, and keys that have risen since, which are passed over.
  std::deque<kube::ObjectRef> low_ CW_GUARDED_BY(mutex_);
  size_t ready_count_ CW_GUARDED_BY(mutex_) = 0;  ///< Ready keys in queue_ and low_.
  uint32_t turns_ CW_GUARDED_BY(mutex_) = 0;      ///< Keys taken while there were both.
  std::unordered_map<kube::ObjectRef, Need> dirty_ CW_GUARDED_BY(mutex_);
  /// Keys that a worker has, with the time at which it got them. They may be in dirty_ too.
  std::unordered_map<kube::ObjectRef, base::MonotonicTime> processing_ CW_GUARDED_BY(mutex_);
  /// Delayed keys by due time; each key at most once, found through due_.
  Waiting waiting_ CW_GUARDED_BY(mutex_);
  std::unordered_map<kube::ObjectRef, Waiting::iterator> due_ CW_GUARDED_BY(mutex_);
  bool shutting_down_ CW_GUARDED_BY(mutex_) = false;
};

}  // namespace chartwright::runtime
