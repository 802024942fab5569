// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/clock.h"
#include "test/base/manual_clock.h"

namespace chartwright::base {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST_CASE("Times are written in UTC with whole seconds or microseconds") {
  CHECK(format_rfc3339(WallTime()) == "1970-01-01T00:00:00Z");
  CHECK(format_rfc3339(ManualClock::start()) == "2026-01-02T03:04:05Z");
  CHECK(format_rfc3339(ManualClock::start() + nanoseconds(999'999'999)) == "2026-01-02T03:04:05Z");
  CHECK(format_rfc3339_micro(ManualClock::start() + nanoseconds(1'234'567)) ==
        "2026-01-02T03:04:05.001234Z");
  CHECK(format_rfc3339(WallTime(seconds(-1))) == "1969-12-31T23:59:59Z");
  CHECK(format_rfc3339(WallTime(seconds(951'782'400))) == "2000-02-29T00:00:00Z");
}

TEST_CASE("Times are read back, with fractions and offsets") {
  const WallTime time = ManualClock::start();
  CHECK(CW_MUST(parse_rfc3339("2026-01-02T03:04:05Z")) == time);
  CHECK(CW_MUST(parse_rfc3339("2026-01-02T03:04:05.000000Z")) == time);
  CHECK(CW_MUST(parse_rfc3339("2026-01-02T03:04:05.5Z")) == time + nanoseconds(500'000'000));
  CHECK(CW_MUST(parse_rfc3339("2026-01-02T03:04:05.1234567899Z")) ==
        time + nanoseconds(123'456'789));
  CHECK(CW_MUST(parse_rfc3339("2026-01-02T04:34:05+01:30")) == time);
  CHECK(CW_MUST(parse_rfc3339("2026-01-01T22:04:05-05:00")) == time);
  CHECK(CW_MUST(parse_rfc3339("1700-01-01T00:00:00Z")) < WallTime());
}

TEST_CASE("Text that is not an RFC 3339 time is refused") {
  const std::string text =
      GENERATE("", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z",
               "2026-01-02t03:04:05z", "2026-13-02T03:04:05Z", "2026-00-02T03:04:05Z",
               "2026-02-29T03:04:05Z", "2026-01-32T03:04:05Z", "2026-01-02T24:04:05Z",
               "2026-01-02T03:60:05Z", "2026-01-02T03:04:60Z", "2026-01-02T03:04:05.Z",
               "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+01:60", "2026-01-02T03:04:05+0100",
               "2026-01-02T03:04:05Zx", " 2026-01-02T03:04:05Z", "+026-01-02T03:04:05Z",
               "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z");
  CAPTURE(text);
  const Result<WallTime> time = parse_rfc3339(text);
  REQUIRE_FALSE(time.ok());
  CHECK(time.error().code() == ErrorCode::kParse);
  CHECK(time.error().message() ==
        "invalid time \"" + text + "\": want RFC 3339, such as 2026-01-02T15:04:05Z");
}

}  // namespace
}  // namespace chartwright::base
