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

TEST_CASE("a constraint is cached for one release alone") {
  std::string text = "1";
  for (int i = 0; i < 32; ++i) {
    text += " || 1";
  }
  ConstraintsCache cache;
  for (int round = 0; round < 2; ++round) {
    const base::Result<Constraints> accepted = cache.parse(text, SemverRelease::k3_4);
    REQUIRE(accepted.ok());
    CHECK(accepted->check(Version::parse("1.2.3").value()));
    const base::Result<Constraints> refused = cache.parse(text, SemverRelease::k3_5);
    REQUIRE(!refused.ok());
    CHECK(refused.error().message() == "too many constraint groups (max 32)");
  }
}

}  // namespace chartwright::helm
