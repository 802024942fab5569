// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/schedule.h"
#include "sim/strategy.h"

namespace chartwright::sim {

/// Where a thread may lose its turn, beside the points that it asks for and where it has to wait.
enum class Grain : uint8_t {
  kCalls,
  kLocks,  ///< Also before it locks a mutex.
};

/// Runs threads one at a time: the one that has the turn runs until it waits, ends or offers its
/// turn, and hands it to the thread that the strategy picks. Time is virtual, and goes on when no
/// thread can run. The same strategy, seed and threads give the same run.
///
/// The threads are real ones, so that whatever belongs to a thread works as it does outside.
/// The thread that has the turn owns the state of this object; to hand it over synchronizes.
class Scheduler final : public base::Schedule {
 public:
  struct Options {
    uint64_t seed = 0;
    Grain grain = Grain::kCalls;
    size_t turns_max = 50'000;  ///< A run of a few custom resources takes some thousands.
    std::string plan;           ///< Is printed if the simulation cannot go on.
  };
  Scheduler(Strategy& strategy, Options options);
  ~Scheduler() override;

  /// Runs `body` as the thread "main" and returns once it has. All threads that have been started
  /// meanwhile must have ended then.
  void run(const std::function<void()>& body);

  // The following are for the thread that has the turn.

  base::MonotonicTime now() const { return now_; }
  /// Offers the turn to others.
  void point();
  /// Lets so much time pass. On the main thread, wake_main ends that.
  void pass(base::Duration duration);
  /// Ends a pass() of the main thread.
  void wake_main();
  /// Returns the name of the thread that has the turn.
  const std::string& thread() const;
  /// Threads of the group do not run before so much time has passed; their timers go on, as for a
  /// process that is stopped by SIGSTOP. Zero: they run again.
  void freeze(const std::string& group, base::Duration duration);
  /// Why no thread but the main one can ever run again, or the limit of turns is reached; empty if
  /// that is not so. The main thread is woken once for it.
  const std::string& stuck() const { return stuck_; }
  /// From now on, first come, first served. To end a process needs no exploration.
  void stop_exploring() { strategy_ = &in_order_; }
  void explore_again() { strategy_ = &explorer_; }

  /// Digest of all choices so far: equal for equal runs.
  uint64_t digest() const { return digest_; }
  uint64_t choices() const { return choices_; }
  const std::vector<Deviation>& deviations() const { return deviations_; }

  /// While it lives, the thread keeps its turn where it need not wait.
  class Undisturbed {
   public:
    explicit Undisturbed(Scheduler& scheduler);
    ~Undisturbed();
    Undisturbed(const Undisturbed&) = delete;
    Undisturbed& operator=(const Undisturbed&) = delete;

   private:
    Scheduler& scheduler_;
  };

  /// While it lives, threads that this one starts are of the group, as those that they start are.
  /// The name of the group is a part of theirs.
  class InGroup {
   public:
    InGroup(Scheduler& scheduler, const std::string& group);
    ~InGroup();
    InGroup(const InGroup&) = delete;
    InGroup& operator=(const InGroup&) = delete;

   private:
    Scheduler& scheduler_;
  };

  // base::Schedule
  void lock(std::mutex& mutex) override;
  void wait(const void* condition, std::mutex& mutex, Deadline deadline) override;
  void notify_one(const void* condition) override;
  void notify_all(const void* condition) override;
  void wait_while(std::function<bool()> is_busy) override;
  Member& announce(std::string name) override;
  void withdraw(Member& thread) override;
  void run(Member& thread, const std::function<void()>& body) override;
  void await_end(const Member& thread) override;
  void draw(std::span<uint8_t> out) override;

 private:
  struct Task;

  Task& add_task(std::string name);
  bool is_frozen(const Task& task) const;
  bool can_run(Task& task) const;
  /// Returns the tasks that can run, in the order in which a fair scheduler would take them.
  const std::vector<Task*>& ready_tasks();
  Task& choose(const std::vector<Task*>& among);
  Task& next_task();
  /// Lets time go on to the next deadline. Returns false if there is none.
  bool fire_timers();
  void wake(Task& task);
  void give_up(const std::string& why);
  std::string describe() const;
  /// Hands the turn to the next task, and returns when this one has it again.
  void hand_over();
  void note(std::string_view text);
  std::vector<Task*> waiters_of(const void* condition);

  InOrder in_order_;
  Strategy& explorer_;
  Strategy* strategy_;
  const Options options_;
  std::deque<Task> tasks_;
  std::map<std::string, int, std::less<>> names_;
  std::map<std::string, base::MonotonicTime, std::less<>> frozen_until_;
  Task* current_ = nullptr;
  base::MonotonicTime now_{};
  uint64_t turns_ = 0;
  uint64_t choices_ = 0;
  uint64_t digest_ = 0xcbf29ce484222325;
  std::vector<Deviation> deviations_;
  std::string stuck_;
  std::vector<Task*> ready_;  ///< Kept for its capacity.
  std::vector<std::string_view> names_of_ready_;
};

/// The clock of a process whose threads belong to a scheduler.
class SimClock final : public base::Clock {
 public:
  explicit SimClock(const Scheduler& scheduler) : scheduler_(scheduler) {}
  base::MonotonicTime monotonic() const override { return scheduler_.now(); }
  base::WallTime wall() const override;
  /// No CPU time passes, so that no limit of it depends on the machine.
  base::Duration thread_cpu() const override { return {}; }
  void wait_until(base::CondVar& cv, base::Mutex& mutex, base::MonotonicTime deadline) override
      CW_REQUIRES(mutex) {
    cv.wait_until(mutex, deadline);
  }

 private:
  const Scheduler& scheduler_;
};

}  // namespace chartwright::sim
