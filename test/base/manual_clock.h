// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace chartwright::base {

/// A clock that moves only when `advance` or `work` is called, so that tests of delays take no time
/// and always see the same order. A condition variable waiting through this clock, and its mutex,
/// must outlive every call of `advance` that may wake it. Thread-safe.
class ManualClock final : public Clock {
 public:
  /// Both clocks start here: 2026-01-02T03:04:05Z.
  static WallTime start() { return WallTime(std::chrono::seconds(1'767'323'045)); }

  MonotonicTime monotonic() const override {
    MutexLock lock(mutex_);
    now_ += tick_;
    return MonotonicTime(now_);
  }
  WallTime wall() const override {
    MutexLock lock(mutex_);
    return start() + now_;
  }

  Duration thread_cpu() const override {
    MutexLock lock(mutex_);
    return cpu_;
  }

  void wait_until(CondVar& cv, Mutex& mutex, MonotonicTime deadline) override CW_REQUIRES(mutex) {
    {
      MutexLock lock(mutex_);
      if (MonotonicTime(now_) >= deadline) {
        return;
      }
      waiting_.push_back({&cv, &mutex, deadline});
      changed_.notify_all();
    }
    cv.wait(mutex);
    MutexLock lock(mutex_);
    const auto mine = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) {
      return w.cv == &cv && w.deadline == deadline;
    });
    if (mine != waiting_.end()) {  // Otherwise `advance` has removed it.
      waiting_.erase(mine);
    }
  }

  /// From now on, each look at the monotonic clock moves it, as time goes on between two looks.
  void tick(Duration by) {
    MutexLock lock(mutex_);
    tick_ = by;
  }

  /// Moves both clocks and wakes every waiter whose deadline has been reached.
  void advance(Duration by) {
    std::vector<Waiting> due;
    {
      MutexLock lock(mutex_);
      now_ += by;
      const MonotonicTime now(now_);
      // Waiters that are due count as awake from here on, so that await_waiters after an advance
      // counts only waits that began after it.
      const auto first_due = std::stable_partition(
          waiting_.begin(), waiting_.end(), [now](const Waiting& w) { return w.deadline > now; });
      due.assign(first_due, waiting_.end());
      waiting_.erase(first_due, waiting_.end());
    }
    for (const Waiting& waiting : due) {
      // Holding the waiter's mutex ensures that it is already asleep, or has seen the new time.
      MutexLock lock(*waiting.mutex);
      waiting.cv->notify_all();
    }
  }

  /// Like advance, but every thread also uses that much CPU time.
  void work(Duration by) {
    {
      MutexLock lock(mutex_);
      cpu_ += by;
    }
    advance(by);
  }

  /// Blocks until `count` threads wait on this clock. Aborts after ten seconds of real time,
  /// because the test would hang.
  void await_waiters(size_t count) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    MutexLock lock(mutex_);
    while (waiting_.size() < count) {
      CW_CHECK(std::chrono::steady_clock::now() < give_up);
      changed_.wait_until(mutex_, give_up);
    }
  }

 private:
  struct Waiting {
    CondVar* cv;
    Mutex* mutex;
    MonotonicTime deadline;
  };

  mutable Mutex mutex_;
  CondVar changed_;
  mutable Duration now_ CW_GUARDED_BY(mutex_){0};
  Duration tick_ CW_GUARDED_BY(mutex_){0};
  Duration cpu_ CW_GUARDED_BY(mutex_){0};
  std::vector<Waiting> waiting_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::base
