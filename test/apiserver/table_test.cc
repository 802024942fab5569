// SPDX-License-Identifier: Apache-2.0
#include "apiserver/table.h"

#include <catch2/catch.hpp>

namespace chartwright::apiserver {

// Expected values: HumanDuration in k8s.io/apimachinery pkg/util/duration/duration_test.go.
TEST_CASE("An age is what kubectl prints") {
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  constexpr int64_t kDay = 24 * kHour;
  constexpr int64_t kYear = 365 * kDay;
  const auto age = [](int64_t seconds) {
    const base::WallTime then{};
    return human_age(then, then + std::chrono::seconds(seconds));
  };
  CHECK(age(1) == "1s");
  CHECK(age(70) == "70s");
  CHECK(age(190) == "3m10s");
  CHECK(age(70 * kMinute) == "70m");
  CHECK(age(47 * kHour) == "47h");
  CHECK(age(49 * kHour) == "2d1h");
  CHECK(age(8 * kDay + 2 * kHour) == "8d");
  CHECK(age(367 * kDay) == "367d");
  CHECK(age(2 * kYear + 25 * kHour) == "2y1d");
  CHECK(age(8 * kYear + 2 * kHour) == "8y");
  CHECK(age(-1) == "0s");
  CHECK(age(-2) == "<invalid>");
}

}  // namespace chartwright::apiserver
