// SPDX-License-Identifier: Apache-2.0
#include "views/work.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"

namespace chartwright::views {
namespace {

std::string message_of(const base::Status& status) {
  return status.ok() ? "" : status.error().message();
}

}  // namespace

TEST_CASE("A request may use its CPU time, and not more") {
  base::ManualClock clock;
  clock.work(std::chrono::seconds(5));  // Of earlier requests.
  const Work work(clock, {}, std::chrono::seconds(2));
  clock.work(std::chrono::seconds(2));
  CHECK(work.check().ok());
  clock.advance(std::chrono::hours(1));  // To wait costs nothing.
  CHECK(work.check().ok());
  clock.work(std::chrono::nanoseconds(1));
  CHECK(message_of(work.check()) == "more than 2s of CPU time");
}

TEST_CASE("A request may touch so many members, and not more") {
  base::ManualClock clock;
  Work work(clock, {}, std::chrono::seconds(2));
  CHECK(work.touch(kTouchedMax - 1).ok());
  CHECK(work.touch(1).ok());
  CHECK(message_of(work.touch(1)) == "more than 10000000 members are touched");
  CHECK_FALSE(work.touch(1).ok());
  Work other(clock, {}, std::chrono::seconds(2));
  CHECK_FALSE(other.touch(UINT64_MAX).ok());
}

TEST_CASE("A request that touches members sees that its time is over") {
  base::ManualClock clock;
  Work work(clock, {}, std::chrono::seconds(2));
  clock.work(std::chrono::seconds(3));
  base::Status status;
  uint64_t touched = 0;
  for (; status.ok() && touched < 100'000; ++touched) {
    status = work.touch(1);
  }
  CHECK(message_of(status) == "more than 2s of CPU time");
  CHECK(touched < 10'000);
}

TEST_CASE("A request ends with its client") {
  base::ManualClock clock;
  std::stop_source gone;
  const Work work(clock, {.stop = gone.get_token()}, std::chrono::seconds(2));
  CHECK(work.check().ok());
  gone.request_stop();
  CHECK(work.check().error().code() == base::ErrorCode::kCancelled);
}

}  // namespace chartwright::views
