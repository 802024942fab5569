// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

#include "base/schedule.h"

// Clang's thread-safety attributes. g++ ignores them; the `clang` preset turns
// violations into errors.
#if defined(__clang__)
#define CW_ATTRIBUTE(x) __attribute__((x))
#else
#define CW_ATTRIBUTE(x)
#endif
#define CW_CAPABILITY(x) CW_ATTRIBUTE(capability(x))
#define CW_SCOPED_CAPABILITY CW_ATTRIBUTE(scoped_lockable)
#define CW_GUARDED_BY(x) CW_ATTRIBUTE(guarded_by(x))
#define CW_REQUIRES(...) CW_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define CW_EXCLUDES(...) CW_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define CW_ACQUIRE(...) CW_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define CW_RELEASE(...) CW_ATTRIBUTE(release_capability(__VA_ARGS__))
#define CW_NO_THREAD_SAFETY_ANALYSIS CW_ATTRIBUTE(no_thread_safety_analysis)

namespace chartwright::base {

class CondVar;

/// A std::mutex with the annotations that let the compiler check who holds it.
class CW_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock() CW_ACQUIRE() {
    if (Schedule* schedule = Schedule::current()) {
      schedule->lock(mutex_);
    } else {
      mutex_.lock();
    }
  }
  void unlock() CW_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

/// Holds a Mutex for a scope.
class CW_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CW_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() CW_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// A condition variable for Mutex. Every wait may return spuriously, so callers loop on their
/// condition. Either all threads that use it belong to one schedule, or none does.
class CondVar {
 public:
  void wait(Mutex& mutex) CW_REQUIRES(mutex) { wait_for(mutex, std::nullopt); }
  void wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) CW_REQUIRES(mutex) {
    wait_for(mutex, deadline);
  }
  void notify_one() {
    if (Schedule* schedule = Schedule::current()) {
      schedule->notify_one(this);
    } else {
      cv_.notify_one();
    }
  }
  void notify_all() {
    if (Schedule* schedule = Schedule::current()) {
      schedule->notify_all(this);
    } else {
      cv_.notify_all();
    }
  }

 private:
  void wait_for(Mutex& mutex, Schedule::Deadline deadline) CW_REQUIRES(mutex) {
    if (Schedule* schedule = Schedule::current()) {
      schedule->wait(this, mutex.mutex_, deadline);
      return;
    }
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    if (deadline) {
      cv_.wait_until(lock, *deadline);
    } else {
      cv_.wait(lock);
    }
    lock.release();
  }

  std::condition_variable cv_;
};

/// Wakes all that wait on a condition variable when a stop is requested, as long as this object
/// lives. The waiting thread makes one before it locks the mutex, and looks at the token in its
/// loop: the mutex ensures that the notification does not come between this look and the wait.
class WakeOnStop {
 public:
  /// The references must outlive it.
  WakeOnStop(const std::stop_token& stop, Mutex& mutex, CondVar& condition)
      : mutex_(mutex), condition_(condition), callback_(stop, Wake{*this}) {}
  /// Waits while the notification is under way on another thread.
  ~WakeOnStop() {
    // The destructor of callback_ waits, too, but in a way that no schedule knows of.
    if (Schedule* schedule = Schedule::current()) {
      schedule->wait_while([this] { return waking_.load(); });
    }
  }
  WakeOnStop(const WakeOnStop&) = delete;
  WakeOnStop& operator=(const WakeOnStop&) = delete;

 private:
  struct Wake {
    WakeOnStop& owner;
    void operator()() const { owner.wake(); }
  };

  void wake() {
    waking_ = true;
    {
      MutexLock lock(mutex_);
      condition_.notify_all();
    }
    waking_ = false;
  }

  Mutex& mutex_;
  CondVar& condition_;
  std::atomic<bool> waking_{false};
  std::stop_callback<Wake> callback_;  ///< The last member: it may run at once.
};

}  // namespace chartwright::base
