// SPDX-License-Identifier: Apache-2.0
#include "helm/version/compatible.h"

#include <catch2/catch.hpp>

// The expected results are those of Helm 3.22: pkg/chartutil/compatible_test.go, compatible.go.
namespace chartwright::helm {

TEST_CASE("A version is compatible with a range that holds it, and with no malformed one") {
  ConstraintsCache cache;
  const auto compatible = [&](std::string_view constraint, std::string_view version) {
    return is_compatible(constraint, version, SemverRelease::k3_5, cache);
  };
  CHECK(compatible("v2.0.0-alpha.4", "v2.0.0-alpha.4"));
  CHECK(!compatible("v2.0.0-alpha.3", "v2.0.0-alpha.4"));
  CHECK(!compatible("v2.0.0", "v2.0.0-alpha.4"));
  CHECK(!compatible("v2.0.0-alpha.4", "v2.0.0"));
  CHECK(compatible("~v2.0.0", "v2.0.1"));
  CHECK(compatible("v2", "v2.0.0"));
  CHECK(compatible(">2.0.0", "v2.1.1"));
  CHECK(compatible("v2.1.*", "v2.1.1"));
  CHECK(!compatible(">= x.y", "v2.0.0"));
  CHECK(!compatible(">=1", "none"));
}

}  // namespace chartwright::helm
