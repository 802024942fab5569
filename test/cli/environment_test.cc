// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace chartwright::cmd {
namespace {

TEST_CASE("An empty variable is set") {
  REQUIRE(::setenv("CW_TEST_VARIABLE", "", 1) == 0);
  CHECK(environment("CW_TEST_VARIABLE") == "");
  REQUIRE(::unsetenv("CW_TEST_VARIABLE") == 0);
  CHECK(environment("CW_TEST_VARIABLE") == std::nullopt);
}

}  // namespace
}  // namespace chartwright::cmd
