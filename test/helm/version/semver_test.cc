// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "helm/version/semver.h"

// Tests the functions that chart loading calls; test/cases/funcs/versions.txt tests the grammar.
namespace chartwright::helm {

TEST_CASE("a version keeps its parts and its text") {
  const base::Result<Version> version = Version::parse("v1.2-rc.1+b");
  REQUIRE(version.ok());
  CHECK(version->major == 1);
  CHECK(version->minor == 2);
  CHECK(version->patch == 0);
  CHECK(version->prerelease == "rc.1");
  CHECK(version->metadata == "b");
  CHECK(version->original == "v1.2-rc.1+b");
  CHECK(version->to_string() == "1.2.0-rc.1+b");
}

TEST_CASE("an invalid version is told") {
  const base::Result<Version> version = Version::parse("1.2.3.4");
  REQUIRE(!version.ok());
  CHECK(version.error().code() == base::ErrorCode::kParse);
  CHECK(version.error().message() == "invalid semantic version");
}

TEST_CASE("constraints are parsed once and checked often") {
  const base::Result<Constraints> constraints = Constraints::parse(">=1.20 <2 || 3.x");
  REQUIRE(constraints.ok());
  const auto holds = [&](std::string_view text) {
    return constraints->check(Version::parse(text).value());
  };
  CHECK(holds("1.20.0"));
  CHECK(holds("3.4.5"));
  CHECK(!holds("2.0.0"));
  CHECK(!holds("1.25.0-gke.1"));
  CHECK(!Constraints::parse(">= x.y").ok());
}

}  // namespace chartwright::helm
