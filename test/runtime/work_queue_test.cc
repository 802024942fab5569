// SPDX-License-Identifier: Apache-2.0
#include "runtime/work_queue.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "base/strings.h"
#include "base/thread.h"
#include "test/base/manual_clock.h"

// Tests what the tests of client-go's util/workqueue do.
namespace chartwright::runtime {
namespace {

using kube::ObjectRef;
using std::chrono::milliseconds;
using std::chrono::seconds;

ObjectRef key(int number) { return {{"x.io", "v1", "X"}, "n", std::to_string(number)}; }

TEST_CASE("Keys come out in the order in which they went in") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  for (int i = 0; i < 5; ++i) {
    queue.add(key(i));
  }
  CHECK(queue.depth() == 5);
  for (int i = 0; i < 5; ++i) {
    const auto got = queue.get();
    CHECK(got == key(i));
    queue.done(*got);
  }
  CHECK(queue.depth() == 0);
}

TEST_CASE("A key added twice before it is handed out comes once") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1));
  queue.add(key(2));
  queue.add(key(1));
  CHECK(queue.depth() == 2);
  CHECK(queue.get() == key(1));
  CHECK(queue.get() == key(2));
  CHECK(queue.depth() == 0);
}

std::vector<std::string> take_all(WorkQueue& queue) {
  std::vector<std::string> names;
  while (queue.depth() > 0) {
    const ObjectRef got = *queue.get();
    names.push_back(got.name);
    queue.done(got);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("Keys of low priority come after the others, but for one in five") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  for (int i = 1; i <= 3; ++i) {
    queue.add(key(i), Priority::kLow);
  }
  for (int i = 11; i <= 16; ++i) {
    queue.add(key(i));
  }
  CHECK(queue.depth() == 9);
  CHECK(take_all(queue) == Names{"11", "12", "13", "14", "1", "15", "16", "2", "3"});
}

TEST_CASE("A key of low priority that is added again rises, and comes once") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  for (int i = 1; i <= 4; ++i) {
    queue.add(key(i), Priority::kLow);
  }
  queue.add(key(3));
  queue.add(key(3), Priority::kLow);
  CHECK(queue.depth() == 4);
  CHECK(take_all(queue) == Names{"3", "1", "2", "4"});
}

TEST_CASE("A key that rose is with one worker only, though it is added as low meanwhile") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1), Priority::kLow);
  queue.add(key(2), Priority::kLow);
  queue.add(key(1));
  REQUIRE(queue.get() == key(1));
  queue.add(key(1), Priority::kLow);
  REQUIRE(queue.get() == key(2));
  CHECK(queue.depth() == 0);
  queue.done(key(1));
  CHECK(queue.depth() == 1);
  CHECK(queue.get() == key(1));
}

TEST_CASE("A shutdown at once drops keys of low priority, too") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1), Priority::kLow);
  queue.add(key(2));
  queue.shut_down_now();
  CHECK(queue.depth() == 0);
  CHECK_FALSE(queue.get().has_value());
}

TEST_CASE("A key added while it is worked on comes back after done, once") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1));
  REQUIRE(queue.get() == key(1));
  queue.add(key(1));
  queue.add(key(1));
  CHECK(queue.depth() == 0);
  queue.done(key(1));
  CHECK(queue.depth() == 1);
  CHECK(queue.get() == key(1));
  queue.done(key(1));
  CHECK(queue.depth() == 0);
}

TEST_CASE("No key is ever with two workers") {
  base::SystemClock clock;
  WorkQueue queue(clock);
  constexpr int kKeys = 7;
  constexpr int kAdds = 2000;
  std::array<std::atomic<int>, kKeys> busy{};
  std::array<std::atomic<int>, kKeys> worked{};
  std::atomic<int> violations{0};
  std::vector<base::Thread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back("worker", base::kDefaultStackBytes, [&] {
      while (const auto got = queue.get()) {
        const auto index = static_cast<size_t>(*base::parse_int(got->name));
        violations += busy[index]++ == 0 ? 0 : 1;
        ++worked[index];
        --busy[index];
        queue.done(*got);
      }
    });
  }
  for (int i = 0; i < kAdds; ++i) {
    queue.add(key(i % kKeys));
  }
  queue.shut_down();
  workers.clear();
  CHECK(violations == 0);
  for (const std::atomic<int>& count : worked) {
    CHECK(count >= 1);
  }
}

TEST_CASE("A delayed key comes when its time has") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add_after(key(1), milliseconds(50));
  CHECK(queue.depth() == 0);
  ObjectRef got;
  base::Thread worker("worker", base::kDefaultStackBytes, [&] { got = *queue.get(); });
  clock.await_waiters(1);
  clock.advance(milliseconds(49));
  CHECK(queue.depth() == 0);
  clock.await_waiters(1);
  clock.advance(milliseconds(1));
  worker.join();
  CHECK(got == key(1));
}

TEST_CASE("A delay that is not positive counts as zero") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add_after(key(1), milliseconds(0));
  queue.add_after(key(2), milliseconds(-5));
  CHECK(queue.depth() == 2);
}

TEST_CASE("A delay beyond the end of time is not in the past") {
  base::ManualClock clock;
  clock.advance(std::chrono::hours(24 * 365));
  WorkQueue queue(clock);
  queue.add_after(key(1), base::Duration::max());
  queue.add_after(key(2), seconds(1));
  clock.advance(seconds(1));
  CHECK(queue.get() == key(2));
  CHECK(queue.depth() == 0);
}

TEST_CASE("Of several delays the earliest counts") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add_after(key(1), seconds(60));
  queue.add_after(key(1), seconds(1));
  queue.add_after(key(1), seconds(30));
  clock.advance(seconds(1));
  REQUIRE(queue.get() == key(1));
  queue.done(key(1));
  // The later delays are gone: the next key is another one.
  queue.add_after(key(2), seconds(120));
  clock.advance(seconds(120));
  CHECK(queue.get() == key(2));
  queue.done(key(2));
  CHECK(queue.depth() == 0);
}

// A retry that waits has happened when an event came first; as in controller-runtime's
// priorityqueue, and unlike in client-go's delaying queue.
TEST_CASE("A key that comes before its delay has passed is not handed out again for it") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add_after(key(1), seconds(1));
  queue.add(key(1));
  REQUIRE(queue.get() == key(1));
  queue.add_after(key(1), seconds(3));
  queue.done(key(1));
  queue.add_after(key(2), seconds(2));
  clock.advance(seconds(2));
  CHECK(queue.get() == key(2));
  clock.advance(seconds(1));
  CHECK(queue.get() == key(1));
}

TEST_CASE("Delayed keys come in the order of their times") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add_after(key(3), seconds(3));
  queue.add_after(key(1), seconds(1));
  queue.add_after(key(2), seconds(2));
  clock.advance(seconds(10));
  CHECK(queue.get() == key(1));
  CHECK(queue.get() == key(2));
  CHECK(queue.get() == key(3));
}

TEST_CASE("A delayed key that is worked on when its time comes returns after done") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1));
  queue.add(key(2));
  REQUIRE(queue.get() == key(1));
  queue.add_after(key(1), seconds(1));
  clock.advance(seconds(1));
  REQUIRE(queue.get() == key(2));
  CHECK(queue.depth() == 0);
  queue.done(key(1));
  CHECK(queue.get() == key(1));
}

TEST_CASE("An idle worker takes over the clock from one that goes to work") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  std::atomic<int> handed_out{0};
  base::Mutex mutex;
  base::CondVar changed;
  bool release = false;
  const auto body = [&] {
    while (const auto got = queue.get()) {
      ++handed_out;
      base::MutexLock lock(mutex);
      changed.notify_all();
      while (!release) {
        changed.wait(mutex);
      }
      queue.done(*got);
    }
  };
  base::Thread one("one", base::kDefaultStackBytes, body);
  base::Thread two("two", base::kDefaultStackBytes, body);
  queue.add_after(key(1), seconds(1));
  clock.await_waiters(1);
  queue.add(key(2));
  {
    base::MutexLock lock(mutex);
    while (handed_out < 1) {
      changed.wait(mutex);
    }
  }
  // The thread that did not get key 2 must now wait for key 1.
  clock.await_waiters(1);
  clock.advance(seconds(1));
  {
    base::MutexLock lock(mutex);
    while (handed_out < 2) {
      changed.wait(mutex);
    }
    release = true;
    changed.notify_all();
  }
  queue.shut_down();
  one.join();
  two.join();
  CHECK(handed_out == 2);
}

TEST_CASE("After shutdown nothing is accepted and what was ready is still handed out") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1));
  queue.add_after(key(9), seconds(1));
  queue.shut_down();
  queue.add(key(2));
  queue.add_after(key(3), seconds(1));
  clock.advance(seconds(5));
  CHECK(queue.get() == key(1));
  CHECK_FALSE(queue.get().has_value());
}

TEST_CASE("A key that became dirty before shutdown is still worked on after done") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1));
  REQUIRE(queue.get() == key(1));
  queue.add(key(1));
  queue.shut_down();
  queue.done(key(1));
  CHECK(queue.get() == key(1));
  queue.done(key(1));
  CHECK_FALSE(queue.get().has_value());
}

TEST_CASE("An immediate shutdown drops what no worker has") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  queue.add(key(1));
  queue.add(key(2));
  REQUIRE(queue.get() == key(1));
  queue.add(key(1));
  queue.shut_down_now();
  queue.done(key(1));
  CHECK_FALSE(queue.get().has_value());
}

TEST_CASE("Shutdown lets waiting workers go") {
  base::ManualClock clock;
  WorkQueue queue(clock);
  std::atomic<int> left{0};
  std::vector<base::Thread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back("worker", base::kDefaultStackBytes,
                         [&] { left += queue.get().has_value() ? 0 : 1; });
  }
  queue.shut_down();
  workers.clear();
  CHECK(left == 3);
}

TEST_CASE("Hooks tell depth, additions and times") {
  base::ManualClock clock;
  std::atomic<int> adds{0};
  std::atomic<int> depth{0};
  base::Duration waited{};
  base::Duration worked{};
  QueueHooks hooks;
  hooks.on_add = [&] { ++adds; };
  hooks.on_depth = [&](int delta) { depth += delta; };
  hooks.on_get = [&](base::Duration d) { waited = d; };
  hooks.on_done = [&](base::Duration d) { worked = d; };
  WorkQueue queue(clock, hooks);
  queue.add(key(1));
  queue.add(key(1));
  queue.add(key(2));
  CHECK(adds == 2);
  CHECK(depth == 2);
  clock.advance(seconds(3));
  REQUIRE(queue.get() == key(1));
  CHECK(waited == seconds(3));
  CHECK(depth == 1);
  clock.advance(seconds(2));
  CHECK(queue.running().total == seconds(2));
  CHECK(queue.running().longest == seconds(2));
  queue.add(key(1));
  CHECK(adds == 3);
  CHECK(depth == 1);
  queue.done(key(1));
  CHECK(worked == seconds(2));
  CHECK(depth == 2);
  CHECK(queue.running().longest == seconds(0));
  queue.shut_down_now();
  CHECK(depth == 0);
}

}  // namespace
}  // namespace chartwright::runtime
