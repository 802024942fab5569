// SPDX-License-Identifier: Apache-2.0
#include "cmd/suite_programs.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <stop_token>
#include <string>

#include "base/clock.h"

namespace chartwright::cmd {
namespace {

base::Result<std::string> output_of(const std::string& script, std::stop_token stop = {}) {
  const base::SystemClock clock;
  return suite_programs(clock, std::move(stop))({"sh", {"-c", script}, {}}, "a: 1\n");
}

TEST_CASE("A post-renderer of a suite reads manifests and prints others") {
  CHECK(CW_MUST(output_of("sed s/1/2/")) == "a: 2\n");
}

TEST_CASE("A post-renderer of a suite gets no credentials from the environment") {
  ::setenv("CHARTWRIGHT_TEST_TOKEN", "x", 1);
  CHECK(CW_MUST(output_of("echo \"${CHARTWRIGHT_TEST_TOKEN-unset} ${PATH:+path}\"")) ==
        "unset path\n");
  ::unsetenv("CHARTWRIGHT_TEST_TOKEN");
}

TEST_CASE("A post-renderer of a suite that fails is an error with what it says") {
  const auto failed = output_of("echo broken >&2; exit 3");
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message().starts_with("post-render failed: error while running command /"));
  CHECK(failed.error().message().ends_with("/sh. error output:\nbroken\n: exit status 3"));
  const base::SystemClock clock;
  const auto missing = suite_programs(clock, {})({"no-such-program", {}, {}}, "");
  CHECK(missing.error().message() ==
        "unable to find binary at no-such-program: exec: \"no-such-program\": executable file not "
        "found in $PATH");
}

TEST_CASE("A post-renderer of a suite is bounded") {
  CHECK(output_of("head -c 17000000 /dev/zero").error().code() == base::ErrorCode::kBudget);
  std::stop_source stop;
  stop.request_stop();
  CHECK(output_of("sleep 1000", stop.get_token()).error().code() == base::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace chartwright::cmd
