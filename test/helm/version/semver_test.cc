// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "helm/version/semver.h"

// Tests the functions that chart loading calls; test/cases/funcs/versions.txt tests the grammar.
namespace chartwright::helm {

TEST_CASE("A version keeps its parts and its text") {
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

TEST_CASE("An invalid version is told") {
  const base::Result<Version> version = Version::parse("1.2.3.4");
  REQUIRE(!version.ok());
  CHECK(version.error().code() == base::ErrorCode::kParse);
  CHECK(version.error().message() == "invalid semantic version");
}

// Source: Masterminds/semver v3.3.0 and v3.4.0 version.go, constraints.go.
TEST_CASE("Errors of semver 3.3 begin with capitals") {
  const auto message = [](std::string_view text, SemverRelease release) {
    return Version::parse(text, release).error().message();
  };
  for (const char* text : {"x", "", "1.2.3-", "1.2.3+a_b"}) {
    CHECK(message(text, SemverRelease::k3_3) == "Invalid Semantic Version");
    CHECK(message(text, SemverRelease::k3_4) == "invalid semantic version");
  }
  CHECK(message("1.2.3-01", SemverRelease::k3_3) == "Version segment starts with 0");
  CHECK(message("99999999999999999999", SemverRelease::k3_3) ==
        "Error parsing version segment: strconv.ParseUint: parsing \"99999999999999999999\": value "
        "out of range");
  CHECK(Constraints::parse(">=1.2.3-01", SemverRelease::k3_3).error().message() ==
        "constraint Parser Error");
  CHECK(Constraints::parse(">=1.2.3-01", SemverRelease::k3_4).error().message() ==
        "constraint parser error");
}

TEST_CASE("A prerelease or metadata are checked as the release of semver does") {
  CHECK(Version::check_prerelease("a..b", SemverRelease::k3_3).ok());
  CHECK(Version::check_prerelease("a..b", SemverRelease::k3_4).error().message() ==
        "invalid prerelease string");
  CHECK(Version::check_prerelease("01", SemverRelease::k3_5).error().message() ==
        "version segment starts with 0");
  CHECK(Version::check_prerelease("a_b", SemverRelease::k3_3).error().message() ==
        "Invalid Prerelease string");
  CHECK(Version::check_metadata("01..", SemverRelease::k3_3).ok());
  CHECK(Version::check_metadata("01..", SemverRelease::k3_5).error().message() ==
        "invalid metadata string");
  CHECK(Version::check_metadata("a_b", SemverRelease::k3_3).error().message() ==
        "Invalid Metadata string");
}

TEST_CASE("In semver 3.3 each comparison must name a prerelease") {
  const auto holds = [](std::string_view text, SemverRelease release) {
    const Version version = Version::parse("1.5.0-gke.1", release).value();
    return Constraints::parse(text, release).value().check(version);
  };
  for (const char* mixed : {">=1.0-0 <2", ">=1.0 <2-0", "!=1.2, >=1.0-0"}) {
    CHECK(!holds(mixed, SemverRelease::k3_3));
    CHECK(holds(mixed, SemverRelease::k3_4));
  }
  CHECK(holds("!=1.2.3", SemverRelease::k3_3));
  CHECK(!holds("!=1.2.3", SemverRelease::k3_4));
  CHECK(holds(">=1.0-0 <2-0", SemverRelease::k3_3));
  CHECK(!holds(">=1.0", SemverRelease::k3_3));
}

TEST_CASE("Constraints are parsed once and checked often") {
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

TEST_CASE("A constraint is cached for one release alone") {
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
