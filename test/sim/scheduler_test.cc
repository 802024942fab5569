// SPDX-License-Identifier: Apache-2.0
#include "sim/scheduler.h"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "test/sim/search_strategies.h"

namespace chartwright::sim {
namespace {

using std::chrono::seconds;

constexpr size_t kStack = base::kDefaultStackBytes;

/// The steps of a few threads under a schedule.
struct Seen {
  std::string steps;
  uint64_t digest = 0;
  std::vector<Deviation> deviations;
};

// Two threads that take three steps each.
Seen take_steps(Strategy& strategy, Scheduler::Options options = {}) {
  Scheduler scheduler(strategy, options);
  Seen seen;
  scheduler.run([&] {
    std::vector<base::Thread> threads;
    for (const char name : {'a', 'b'}) {
      threads.emplace_back(std::string(1, name), kStack, [&scheduler, &seen, name] {
        for (int i = 0; i < 3; ++i) {
          seen.steps += name;
          scheduler.point();
        }
      });
    }
  });
  seen.digest = scheduler.digest();
  seen.deviations = scheduler.deviations();
  return seen;
}

TEST_CASE("Threads run in the order in which they started, unless the strategy says otherwise") {
  InOrder in_order;
  CHECK(take_steps(in_order).steps == "aaabbb");
  InOrder turned({{"a", 1, "b"}});
  CHECK(take_steps(turned).steps == "abbbaa");
}

TEST_CASE("A seed gives one order, and the deviations of a run give it again") {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Walk walk(seed, 2);
    const Seen first = take_steps(walk);
    orders.insert(first.steps);
    Walk same(seed, 2);
    CHECK(take_steps(same).digest == first.digest);
    InOrder again(first.deviations);
    CHECK(take_steps(again).steps == first.steps);
  }
  CHECK(orders.size() > 5);
}

TEST_CASE("Time goes on only when all threads wait, to the earliest deadline") {
  InOrder in_order;
  Scheduler scheduler(in_order, {});
  std::vector<std::string> woken;
  scheduler.run([&] {
    std::vector<base::Thread> threads;
    for (const int delay : {3, 1, 2}) {
      threads.emplace_back("sleeper", kStack, [&scheduler, &woken, delay] {
        scheduler.pass(seconds(delay));
        woken.push_back(std::to_string(delay) + " at " +
                        base::format_go_duration(scheduler.now().time_since_epoch()));
      });
    }
  });
  CHECK(woken == std::vector<std::string>{"1 at 1s", "2 at 2s", "3 at 3s"});
}

// Counts to 2 with a read and a write that others may come between, under a mutex if asked.
int count_to_two(Strategy& strategy, bool locked) {
  Scheduler scheduler(strategy, {.grain = Grain::kLocks});
  int counter = 0;
  base::Mutex mutex;
  scheduler.run([&] {
    std::vector<base::Thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back("counter", kStack, [&] {
        std::unique_ptr<base::MutexLock> lock;
        if (locked) {
          lock = std::make_unique<base::MutexLock>(mutex);
        }
        const int read = counter;
        scheduler.point();
        counter = read + 1;
      });
    }
  });
  return counter;
}

TEST_CASE("Threads of a frozen group stand still while time goes on, and so do those they start") {
  InOrder in_order;
  Scheduler scheduler(in_order, {});
  std::vector<std::string> seen;
  const auto note = [&](const std::string& text) {
    seen.push_back(text + " at " + base::format_go_duration(scheduler.now().time_since_epoch()));
  };
  const auto sleep_a_second = [&scheduler] { scheduler.pass(seconds(1)); };
  scheduler.run([&] {
    base::Thread frozen;
    {
      const Scheduler::InGroup group(scheduler, "a");
      frozen = base::Thread("parent", kStack, [&] {
        base::Thread child("child", kStack, [&] {
          sleep_a_second();
          note(scheduler.thread());
        });
        sleep_a_second();
        note(scheduler.thread());
      });
    }
    base::Thread other("other", kStack, [&] {
      sleep_a_second();
      note(scheduler.thread());
    });
    scheduler.point();
    scheduler.pass(std::chrono::milliseconds(500));
    scheduler.freeze("a", seconds(10));
    scheduler.pass(seconds(5));
    note("main");
  });
  CHECK(seen == std::vector<std::string>{"other at 1s", "main at 5.5s", "a/parent at 10.5s",
                                         "a/child at 10.5s"});
}

TEST_CASE("A frozen group can be let go before its time") {
  InOrder in_order;
  Scheduler scheduler(in_order, {});
  base::MonotonicTime ended;
  scheduler.run([&] {
    base::Thread frozen;
    {
      const Scheduler::InGroup group(scheduler, "a");
      frozen = base::Thread("one", kStack, [&] {
        scheduler.pass(seconds(1));
        ended = scheduler.now();
      });
    }
    scheduler.pass(std::chrono::milliseconds(500));
    scheduler.freeze("a", std::chrono::hours(1));
    scheduler.pass(seconds(2));
    scheduler.freeze("a", {});
  });
  CHECK(ended.time_since_epoch() == std::chrono::milliseconds(2500));
}

TEST_CASE("A mutex keeps others out in every order, and without one an update gets lost") {
  size_t lost = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Priorities locked(seed, 2, 10);
    CHECK(count_to_two(locked, true) == 2);
    Priorities unlocked(seed, 2, 10);
    lost += count_to_two(unlocked, false) == 1 ? 1 : 0;
  }
  CHECK(lost > 5);
}

// Whether a thread that waits for a flag learns of it before its patience ends.
bool learns_in_time(uint64_t seed, bool checks_under_lock) {
  Priorities strategy(seed, 2, 10);
  Scheduler scheduler(strategy, {.seed = seed, .grain = Grain::kLocks});
  base::Mutex mutex;
  base::CondVar changed;
  bool flag = false;
  scheduler.run([&] {
    base::Thread waiter("waiter", kStack, [&]() CW_NO_THREAD_SAFETY_ANALYSIS {
      if (checks_under_lock) {
        base::MutexLock lock(mutex);
        while (!flag && scheduler.now() == base::MonotonicTime()) {
          changed.wait_until(mutex, base::MonotonicTime(seconds(60)));
        }
      } else if (!flag) {
        base::MutexLock lock(mutex);
        changed.wait_until(mutex, base::MonotonicTime(seconds(60)));
      }
    });
    base::Thread setter("setter", kStack, [&] {
      base::MutexLock lock(mutex);
      flag = true;
      changed.notify_all();
    });
  });
  return scheduler.now() == base::MonotonicTime();
}

TEST_CASE("A wake-up that is lost in a rare order is found") {
  size_t late = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CHECK(learns_in_time(seed, true));
    late += learns_in_time(seed, false) ? 0 : 1;
  }
  CHECK(late > 0);
}

TEST_CASE("A notification of one wakes any of those that wait") {
  std::set<std::string> woken;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Walk strategy(seed, 1);
    Scheduler scheduler(strategy, {});
    base::Mutex mutex;
    base::CondVar condition;
    std::string first;
    scheduler.run([&] {
      std::vector<base::Thread> threads;
      for (const char* name : {"a", "b", "c"}) {
        threads.emplace_back(name, kStack, [&, name] {
          base::MutexLock lock(mutex);
          condition.wait(mutex);
          first += first.empty() ? name : "";
        });
      }
      scheduler.pass(seconds(1));
      condition.notify_one();
      scheduler.pass(seconds(1));
      condition.notify_all();
    });
    woken.insert(first);
  }
  CHECK(woken == std::set<std::string>{"a", "b", "c"});
}

TEST_CASE("A stop that comes at any moment wakes those that wait") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Priorities strategy(seed, 3, 30);
    Scheduler scheduler(strategy, {.seed = seed, .grain = Grain::kLocks});
    std::stop_source stop;
    base::Mutex mutex;
    base::CondVar condition;
    scheduler.run([&] {
      base::Thread waiter("waiter", kStack, [&] {
        const base::WakeOnStop wake(stop.get_token(), mutex, condition);
        base::MutexLock lock(mutex);
        while (!stop.stop_requested()) {
          condition.wait_until(mutex, base::MonotonicTime(seconds(60)));
        }
      });
      base::Thread stopper("stopper", kStack, [&] { stop.request_stop(); });
    });
    CHECK(scheduler.now() == base::MonotonicTime());
  }
}

TEST_CASE("Chance depends on the seed and the thread alone") {
  const auto draw = [](uint64_t seed) {
    InOrder in_order;
    Scheduler scheduler(in_order, {.seed = seed});
    std::vector<uint32_t> drawn;
    scheduler.run([&] {
      drawn.push_back(base::random_seed());
      base::Thread other("other", kStack, [&] { drawn.push_back(base::random_seed()); });
    });
    return drawn;
  };
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
  CHECK(draw(1)[0] != draw(1)[1]);
}

TEST_CASE("A run without an end is told of") {
  InOrder in_order;
  Scheduler scheduler(in_order, {.turns_max = 1000});
  bool ends = false;
  scheduler.run([&] {
    base::Thread spinner("spinner", kStack, [&] {
      while (!ends) {
        scheduler.point();
      }
    });
    base::Thread other("other", kStack, [&] {
      while (!ends) {
        scheduler.point();
      }
    });
    scheduler.pass(seconds(1));
    ends = true;
  });
  CHECK(scheduler.stuck().starts_with("the run does not come to an end"));
}

}  // namespace
}  // namespace chartwright::sim
