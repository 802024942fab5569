// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace chartwright::base {

/// Decides which thread of a group runs next, and which chance its threads see, so that a test can
/// choose an order of steps and repeat it. Mutex, CondVar, Thread, WakeOnStop and fill_random ask
/// the schedule of the calling thread. An operator in production has none.
class Schedule {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  virtual ~Schedule() = default;
  /// Returns the schedule that the calling thread belongs to; null if there is none.
  static Schedule* current() { return of_thread; }

  /// Locks `mutex`, once the threads that the schedule prefers have run.
  virtual void lock(std::mutex& mutex) = 0;
  /// Unlocks `mutex`, waits until `condition` is notified or the deadline has passed, and locks
  /// `mutex` again.
  virtual void wait(const void* condition, std::mutex& mutex, Deadline deadline) = 0;
  virtual void notify_one(const void* condition) = 0;
  virtual void notify_all(const void* condition) = 0;
  /// Lets others run until `is_busy` returns false. It is called on any thread of the schedule, and
  /// must only look.
  virtual void wait_while(std::function<bool()> is_busy) = 0;

  /// A thread of the schedule. It lives as long as the schedule.
  class Member {
   protected:
    ~Member() = default;
  };
  /// Tells of a thread that the calling one is about to start.
  virtual Member& announce(std::string name) = 0;
  /// Takes back an announcement: the system refused the thread.
  virtual void withdraw(Member& thread) = 0;
  /// Runs `body` on the calling thread, which was announced and belongs to the schedule from now
  /// on.
  virtual void run(Member& thread, const std::function<void()>& body) = 0;
  /// Lets others run until that thread has ended.
  virtual void await_end(const Member& thread) = 0;

  virtual void draw(std::span<uint8_t> out) = 0;

 protected:
  /// Makes the calling thread belong to `schedule`; null: to none.
  static void enter(Schedule* schedule) { of_thread = schedule; }

 private:
  static constinit inline thread_local Schedule* of_thread = nullptr;
};

}  // namespace chartwright::base
