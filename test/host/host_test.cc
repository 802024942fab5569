// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include <array>
#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"

namespace chartwright::host {
namespace {

TEST_CASE("Templates see the time of the clock") {
  base::ManualClock clock;
  SystemHost host(clock);
  CHECK(host.now() == base::ManualClock::start());
  clock.advance(std::chrono::hours(1));
  CHECK(host.now() == base::ManualClock::start() + std::chrono::hours(1));
}

TEST_CASE("Random bytes fill what they are asked to fill, differently each time") {
  base::ManualClock clock;
  SystemHost host(clock);
  std::array<uint8_t, 32> a{};
  std::array<uint8_t, 32> b{};
  REQUIRE(host.random(a).ok());
  REQUIRE(host.random(b).ok());
  CHECK(a != b);  // Equal by chance once in 2^256.
  CHECK(a != std::array<uint8_t, 32>{});
  CHECK(host.random({}).ok());
}

TEST_CASE("Names are looked up only if asked for") {
  base::ManualClock clock;
  CHECK(SystemHost(clock).addresses_of("127.0.0.1") == std::nullopt);
  SystemHost host(clock, NameLookup::kSystem);
  using Addresses = std::vector<std::string>;
  CHECK(host.addresses_of("127.0.0.1") == Addresses{"127.0.0.1"});
  CHECK(host.addresses_of("::1") == Addresses{"::1"});
  // Names that Go does not resolve: empty, digits only, with a NUL byte, too long.
  for (const std::string& name : {std::string(), std::string("127.1"),
                                  std::string("127.0.0.1\0x", 11), std::string(300, 'a')}) {
    INFO(name);
    CHECK(host.addresses_of(name) == Addresses{});
  }
}

TEST_CASE("A fixed host has a clock that stands still, and no chance") {
  const base::WallTime when = CW_MUST(base::parse_rfc3339("2024-02-03T04:05:06Z"));
  FixedHost host(when);
  CHECK(host.now() == when);
  std::array<uint8_t, 4> bytes{};
  CHECK(host.random(bytes).error().code() == base::ErrorCode::kInvalidArgument);
  CHECK_FALSE(host.addresses_of("localhost"));
}

}  // namespace
}  // namespace chartwright::host
