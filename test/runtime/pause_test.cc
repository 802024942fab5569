// SPDX-License-Identifier: Apache-2.0
#include "runtime/pause.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "base/thread.h"
#include "test/base/manual_clock.h"

namespace chartwright::runtime {
namespace {

using std::chrono::seconds;

TEST_CASE("A pause lasts its time") {
  base::ManualClock clock;
  std::atomic<bool> over{false};
  base::Thread sleeper("sleeper", base::kDefaultStackBytes, [&] {
    pause(clock, seconds(5), {});
    over = true;
  });
  clock.await_waiters(1);
  clock.advance(seconds(4));
  CHECK_FALSE(over);
  clock.advance(seconds(1));
  sleeper.join();
  CHECK(over);
}

TEST_CASE("A pause beyond the end of time lasts until it is stopped") {
  base::ManualClock clock;
  clock.advance(seconds(1));
  std::stop_source stop;
  base::Thread sleeper("sleeper", base::kDefaultStackBytes,
                       [&] { pause(clock, base::Duration::max(), stop.get_token()); });
  clock.await_waiters(1);
  stop.request_stop();
  sleeper.join();
}

TEST_CASE("A pause ends when it is stopped, or does not begin") {
  base::ManualClock clock;
  std::stop_source stop;
  base::Thread sleeper("sleeper", base::kDefaultStackBytes,
                       [&] { pause(clock, seconds(5), stop.get_token()); });
  clock.await_waiters(1);
  stop.request_stop();
  sleeper.join();
  pause(clock, seconds(5), stop.get_token());
  pause(clock, seconds(0), {});
  pause(clock, seconds(-1), {});
  CHECK(clock.monotonic() == base::MonotonicTime{});
}

}  // namespace
}  // namespace chartwright::runtime
