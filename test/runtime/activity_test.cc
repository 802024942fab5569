// SPDX-License-Identifier: Apache-2.0
#include "runtime/activity.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "base/thread.h"
#include "test/base/manual_clock.h"

namespace chartwright::runtime {
namespace {

using std::chrono::seconds;

TEST_CASE("Rest comes when nothing was done for a while") {
  base::ManualClock clock;
  Activity activity(clock);
  std::atomic<int> rests{0};
  std::stop_source stop;
  activity.note();
  base::Thread waiter("waiter", base::kDefaultStackBytes, [&] {
    while (activity.await_rest(seconds(10), stop.get_token())) {
      ++rests;
      rests.notify_all();
    }
  });
  clock.await_waiters(1);
  clock.advance(seconds(9));
  activity.note();
  clock.advance(seconds(9));
  clock.await_waiters(1);
  CHECK(rests == 0);
  clock.advance(seconds(1));
  rests.wait(0);
  CHECK(rests == 1);

  SECTION("and comes again only after more was done") {
    clock.advance(seconds(100));
    CHECK(rests == 1);
    activity.note();
    clock.await_waiters(1);
    clock.advance(seconds(10));
    rests.wait(1);
    CHECK(rests == 2);
  }
  stop.request_stop();
  waiter.join();
}

TEST_CASE("Waiting for rest ends when it is stopped") {
  base::ManualClock clock;
  Activity activity(clock);
  std::stop_source stop;
  if (GENERATE(false, true)) {
    activity.note();
  }
  bool rested = true;
  base::Thread waiter("waiter", base::kDefaultStackBytes,
                      [&] { rested = activity.await_rest(seconds(10), stop.get_token()); });
  stop.request_stop();
  waiter.join();
  CHECK_FALSE(rested);
  CHECK_FALSE(activity.await_rest(seconds(10), stop.get_token()));
}

}  // namespace
}  // namespace chartwright::runtime
