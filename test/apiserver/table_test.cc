// SPDX-License-Identifier: Apache-2.0
#include "apiserver/table.h"

#include <catch2/catch.hpp>

namespace chartwright::apiserver {

// Expected values: HumanDuration in k8s.io/apimachinery pkg/util/duration/duration_test.go.
TEST_CASE("an age is what kubectl prints") {
  const auto age = [](int64_t seconds) {
    const base::WallTime then{};
    return human_age(then, then + std::chrono::seconds(seconds));
  };
  CHECK(age(1) == "1s");
  CHECK(age(70) == "70s");
  CHECK(age(190) == "3m10s");
  CHECK(age(70 * 60) == "70m");
  CHECK(age(47 * 3600) == "47h");
  CHECK(age(49 * 3600) == "2d1h");
  CHECK(age((8 * 24 + 2) * 3600) == "8d");
  CHECK(age(367 * 24 * 3600) == "367d");
  CHECK(age((365 * 2 * 24 + 25) * 3600) == "2y1d");
  CHECK(age((365 * 8 * 24 + 2) * 3600) == "8y");
  CHECK(age(-1) == "0s");
  CHECK(age(-2) == "<invalid>");
}

}  // namespace chartwright::apiserver
