// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

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
  void lock() CW_ACQUIRE() { mutex_.lock(); }
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
/// condition.
class CondVar {
 public:
  void wait(Mutex& mutex) CW_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }
  void wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) CW_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cv_.wait_until(lock, deadline);
    lock.release();
  }
  void notify_one() { cv_.notify_one(); }
  void notify_all() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

}  // namespace chartwright::base
