// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/clock.h"
#include "test/base/answer_file.h"

namespace chartwright::base {
namespace {

TEST_CASE("Durations are read and written as Go does") {
  for (const Answer& answer : read_answers("base/durations.txt")) {
    CAPTURE(answer.input);
    const Result<Duration> duration = parse_go_duration(answer.input);
    if (answer.ok) {
      REQUIRE(duration.ok());
      CHECK(std::to_string(duration->count()) + " " + format_go_duration(*duration) == answer.text);
    } else {
      REQUIRE_FALSE(duration.ok());
      CHECK(duration.error().code() == ErrorCode::kParse);
      CHECK(duration.error().message() == answer.text);
    }
  }
}

}  // namespace
}  // namespace chartwright::base
