// SPDX-License-Identifier: Apache-2.0
#include "generate/first_suite.h"

#include <catch2/catch.hpp>

namespace chartwright::generate {
namespace {

TEST_CASE("A first suite has the sample without its comments") {
  bundle::Watch watch;
  watch.gvk = {"a.example.com", "v1", "Shop"};
  const auto suite =
      first_suite(watch,
                  "# SPDX\napiVersion: a.example.com/v1\nkind: Shop\nmetadata:\n  name: one\n"
                  "spec:\n  size: 3\n  # color: red\n");
  REQUIRE(suite);
  CHECK(suite->find("    resource:\n      apiVersion: a.example.com/v1\n      kind: Shop\n"
                    "      metadata:\n        name: one\n      spec:\n        size: 3\n"
                    "  when:\n") != std::string::npos);
  CHECK(suite->ends_with("    - absent: Shop/one\n"));
}

TEST_CASE("A sample without a name makes no suite") {
  const bundle::Watch watch;
  CHECK_FALSE(first_suite(watch, "{"));
  CHECK_FALSE(first_suite(watch, "kind: Shop\n"));
  CHECK_FALSE(first_suite(watch, ""));
}

TEST_CASE("Scenarios run no chart with externals or definitions") {
  bundle::Watch watch;
  CHECK(has_scenarios(watch));
  watch.bundle.has_crds = true;
  CHECK_FALSE(has_scenarios(watch));
}

}  // namespace
}  // namespace chartwright::generate
