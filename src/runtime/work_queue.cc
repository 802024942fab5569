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

void WorkQueue::enqueue(const ObjectRef& key, Priority priority, PendingHooks& pending) {
  if (shutting_down_) {
    return;
  }
  const auto [entry, is_new] = dirty_.try_emplace(key, Need{clock_.monotonic(), priority});
  Need& need = entry->second;
  if (is_new) {
    ++pending.added;
    if (!processing_.contains(key)) {
      make_ready(key, priority, pending);
    }
  } else if (priority == Priority::kNormal && need.priority == Priority::kLow) {
    need.priority = Priority::kNormal;
    if (!processing_.contains(key)) {
      queue_.push_back(key);
    }
  }
}

void WorkQueue::make_ready(const ObjectRef& key, Priority priority, PendingHooks& pending) {
  (priority == Priority::kLow ? low_ : queue_).push_back(key);
  ++ready_count_;
  ++pending.depth;
  ready_.notify_one();
}

bool WorkQueue::is_ready_as_low(const ObjectRef& key) const {
  const auto need = dirty_.find(key);
  return need != dirty_.end() && need->second.priority == Priority::kLow &&
         !processing_.contains(key);
}

ObjectRef WorkQueue::take() {
  while (!low_.empty() && !is_ready_as_low(low_.front())) {
    low_.pop_front();
  }
  const bool has_choice = !low_.empty() && !queue_.empty();
  const bool is_low = has_choice ? ++turns_ % kLowShare == 0 : queue_.empty();
  std::deque<ObjectRef>& from = is_low ? low_ : queue_;
  ObjectRef key = std::move(from.front());
  from.pop_front();
  --ready_count_;
  return key;
}

void WorkQueue::add(const ObjectRef& key, Priority priority) {
  PendingHooks pending;
  {
    base::MutexLock lock(mutex_);
    enqueue(key, priority, pending);
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
  const base::MonotonicTime when = base::after(clock_.monotonic(), delay);
  const auto known = due_.find(key);
  if (known != due_.end() && known->second->first <= when) {
    return;
  }
  forget_delay(key);
  const auto entry = waiting_.emplace(when, key);
  due_.emplace(key, entry);
  if (entry == waiting_.begin()) {
    ready_.notify_one();  // The thread that waits for the earliest key has a new deadline.
  }
}

void WorkQueue::forget_delay(const ObjectRef& key) {
  const auto known = due_.find(key);
  if (known != due_.end()) {
    waiting_.erase(known->second);
    due_.erase(known);
  }
}

void WorkQueue::release_due(PendingHooks& pending) {
  const base::MonotonicTime now = clock_.monotonic();
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const ObjectRef key = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    due_.erase(key);
    enqueue(key, Priority::kNormal, pending);
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
    while (ready_count_ == 0 && !shutting_down_) {
      wait();
      release_due(pending);
    }
    if (ready_count_ > 0) {
      key = take();
      forget_delay(*key);
      --pending.depth;
      const base::MonotonicTime now = clock_.monotonic();
      pending.waited = now - dirty_.at(*key).since;
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
    const auto need = dirty_.find(key);
    if (need != dirty_.end()) {
      make_ready(key, need->second.priority, pending);
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
    pending.depth = -static_cast<int>(std::exchange(ready_count_, 0));
    queue_.clear();
    low_.clear();
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
  return ready_count_;
}

}  // namespace chartwright::runtime
