// SPDX-License-Identifier: Apache-2.0
#include "runtime/work_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace chartwright::runtime {

using kube::ObjectRef;

struct WorkQueue::PendingHooks {
  int added = 0;
  int depth = 0;
  std::optional<base::Duration> waited;
  std::optional<base::Duration> worked;
};

WorkQueue::WorkQueue(base::Clock& clock, QueueHooks hooks)
    : clock_(clock), hooks_(std::move(hooks)) {}

void WorkQueue::run_hooks(const PendingHooks& pending) {
  for (int i = 0; i < pending.added && hooks_.on_add; ++i) {
    hooks_.on_add();
  }
  if (pending.depth != 0 && hooks_.on_depth) {
    hooks_.on_depth(pending.depth);
  }
  if (pending.waited && hooks_.on_get) {
    hooks_.on_get(*pending.waited);
  }
  if (pending.worked && hooks_.on_done) {
    hooks_.on_done(*pending.worked);
  }
}

void WorkQueue::enqueue(const ObjectRef& key, PendingHooks& pending) {
  if (shutting_down_ || !dirty_.emplace(key, clock_.monotonic()).second) {
    return;
  }
  ++pending.added;
  if (!processing_.contains(key)) {
    queue_.push_back(key);
    ++pending.depth;
    ready_.notify_one();
  }
}

void WorkQueue::add(const ObjectRef& key) {
  PendingHooks pending;
  {
    base::MutexLock lock(mutex_);
    enqueue(key, pending);
  }
  run_hooks(pending);
}

void WorkQueue::add_after(const ObjectRef& key, base::Duration delay) {
  if (delay <= base::Duration::zero()) {
    add(key);
    return;
  }
  base::MutexLock lock(mutex_);
  if (shutting_down_) {
    return;
  }
  const base::MonotonicTime when = clock_.monotonic() + delay;
  const auto known = due_.find(key);
  if (known != due_.end()) {
    if (known->second->first <= when) {
      return;
    }
    waiting_.erase(known->second);
    due_.erase(known);
  }
  const auto entry = waiting_.emplace(when, key);
  due_.emplace(key, entry);
  if (entry == waiting_.begin()) {
    ready_.notify_one();  // The thread that waits for the earliest key has a new deadline.
  }
}

void WorkQueue::release_due(PendingHooks& pending) {
  const base::MonotonicTime now = clock_.monotonic();
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const ObjectRef key = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    due_.erase(key);
    enqueue(key, pending);
  }
}

void WorkQueue::wait() {
  if (waiting_.empty()) {
    ready_.wait(mutex_);
  } else {
    clock_.wait_until(ready_, mutex_, waiting_.begin()->first);
  }
}

std::optional<ObjectRef> WorkQueue::get() {
  PendingHooks pending;
  std::optional<ObjectRef> key;
  {
    base::MutexLock lock(mutex_);
    release_due(pending);
    while (queue_.empty() && !shutting_down_) {
      wait();
      release_due(pending);
    }
    if (!queue_.empty()) {
      key = std::move(queue_.front());
      queue_.pop_front();
      --pending.depth;
      const base::MonotonicTime now = clock_.monotonic();
      pending.waited = now - dirty_.at(*key);
      dirty_.erase(*key);
      processing_.emplace(*key, now);
      // This thread leaves to work, so another one must take the next key or wait for the clock.
      ready_.notify_one();
    }
  }
  run_hooks(pending);
  return key;
}

void WorkQueue::done(const ObjectRef& key) {
  PendingHooks pending;
  {
    base::MutexLock lock(mutex_);
    const auto started = processing_.find(key);
    CW_CHECK(started != processing_.end());
    pending.worked = clock_.monotonic() - started->second;
    processing_.erase(started);
    if (dirty_.contains(key)) {
      queue_.push_back(key);
      ++pending.depth;
      ready_.notify_one();
    }
  }
  run_hooks(pending);
}

void WorkQueue::shut_down() {
  base::MutexLock lock(mutex_);
  shutting_down_ = true;
  waiting_.clear();
  due_.clear();
  ready_.notify_all();
}

void WorkQueue::shut_down_now() {
  PendingHooks pending;
  {
    base::MutexLock lock(mutex_);
    shutting_down_ = true;
    waiting_.clear();
    due_.clear();
    pending.depth = -static_cast<int>(queue_.size());
    queue_.clear();
    dirty_.clear();
    ready_.notify_all();
  }
  run_hooks(pending);
}

WorkQueue::Running WorkQueue::running() const {
  base::MutexLock lock(mutex_);
  const base::MonotonicTime now = clock_.monotonic();
  Running running;
  for (const auto& [key, started] : processing_) {
    running.total += now - started;
    running.longest = std::max(running.longest, base::Duration(now - started));
  }
  return running;
}

size_t WorkQueue::depth() const {
  base::MutexLock lock(mutex_);
  return queue_.size();
}

}  // namespace chartwright::runtime
