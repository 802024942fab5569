// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdlib>

int main(int argc, char** argv) {
  // Dates without a zone use that of the process; the expectations were made in UTC.
  if (setenv("TZ", "UTC", 1) != 0) {
    return EXIT_FAILURE;
  }
  return Catch::Session().run(argc, argv);
}
