// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "base/thread.h"
#include "test/base/manual_clock.h"

namespace chartwright::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("The system clock moves forward and knows the date") {
  SystemClock clock;
  const MonotonicTime before = clock.monotonic();
  CHECK(clock.monotonic() >= before);
  CHECK(clock.wall() > ManualClock::start() - std::chrono::hours(24 * 365 * 10));
}

TEST_CASE("A wait on the system clock ends at its deadline") {
  SystemClock clock;
  Mutex mutex;
  CondVar cv;
  const MonotonicTime deadline = clock.monotonic() + milliseconds(5);
  MutexLock lock(mutex);
  while (clock.monotonic() < deadline) {
    clock.wait_until(cv, mutex, deadline);
  }
  CHECK(clock.monotonic() >= deadline);
}

TEST_CASE("The CPU time of a thread goes on while it works and not while it waits") {
  SystemClock clock;
  Mutex mutex;
  CondVar cv;
  const Duration before = clock.thread_cpu();
  {
    const MonotonicTime deadline = clock.monotonic() + milliseconds(100);
    MutexLock lock(mutex);
    while (clock.monotonic() < deadline) {
      clock.wait_until(cv, mutex, deadline);
    }
  }
  const Duration waited = clock.thread_cpu();
  CHECK(waited - before < milliseconds(100));
  while (clock.thread_cpu() < waited + milliseconds(1)) {
  }
}

// Waits on `clock` until `deadline` in a separate thread, as a queue's worker does.
class Sleeper {
 public:
  Sleeper(ManualClock& clock, MonotonicTime deadline)
      : thread_("sleeper", kDefaultStackBytes, [this, &clock, deadline] {
          MutexLock lock(mutex_);
          while (!stopped_ && clock.monotonic() < deadline) {
            clock.wait_until(cv_, mutex_, deadline);
          }
          awake_ = true;
        }) {}
  bool awake() {
    MutexLock lock(mutex_);
    return awake_;
  }
  void stop() {
    MutexLock lock(mutex_);
    stopped_ = true;
    cv_.notify_all();
  }
  void join() { thread_.join(); }

 private:
  Mutex mutex_;
  CondVar cv_;
  bool stopped_ CW_GUARDED_BY(mutex_) = false;
  bool awake_ CW_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

TEST_CASE("A manual clock tells work from waiting") {
  ManualClock clock;
  clock.advance(milliseconds(5));
  CHECK(clock.thread_cpu() == Duration::zero());
  clock.work(milliseconds(3));
  CHECK(clock.thread_cpu() == milliseconds(3));
  CHECK(clock.wall() == ManualClock::start() + milliseconds(8));
}

TEST_CASE("A manual clock stands still until it is advanced, and wakes those that are due") {
  ManualClock clock;
  const MonotonicTime now = clock.monotonic();
  CHECK(clock.monotonic() == now);
  Sleeper early(clock, now + seconds(1));
  Sleeper late(clock, now + seconds(3600));
  clock.await_waiters(2);
  clock.advance(milliseconds(999));
  CHECK_FALSE(early.awake());
  clock.advance(milliseconds(1));
  early.join();
  CHECK(early.awake());
  CHECK_FALSE(late.awake());
  CHECK(clock.wall() == ManualClock::start() + seconds(1));
  clock.advance(seconds(3599));
  late.join();
  CHECK(late.awake());
}

TEST_CASE("A wait on a manual clock also ends by a notification") {
  ManualClock clock;
  Sleeper sleeper(clock, clock.monotonic() + seconds(1));
  clock.await_waiters(1);
  sleeper.stop();
  sleeper.join();
  CHECK(sleeper.awake());
}

}  // namespace
}  // namespace chartwright::base
