// SPDX-License-Identifier: Apache-2.0
#include "helm/version/profile.h"

#include <catch2/catch.hpp>

namespace chartwright::helm {

TEST_CASE("Versions of Helm are found by the names that users write") {
  CHECK(profile_names() == "3.18, 3.22, 4.3");
  CHECK(find_profile("3.18")->helm_version == "v3.18.6");
  CHECK(find_profile("4.3")->helm_version == "v4.3.1");
  CHECK(find_profile("3.22") == &default_profile());
  CHECK(find_profile("3.19") == nullptr);
  CHECK(find_profile("") == nullptr);
}

// Helm v3.18.6 asks for semver v3.3.0, the go.mod of operator-sdk v1.42.3 for v3.4.0.
TEST_CASE("Helm 3.18 in helm-operator differs from Helm's own release in one library") {
  const Profile& release = *find_profile("3.18");
  const Profile& embedded = embedded_profile(release);
  CHECK(release.semver == SemverRelease::k3_3);
  CHECK(embedded.semver == SemverRelease::k3_4);
  CHECK(embedded.name == release.name);
  CHECK(embedded.helm_version == release.helm_version);
  CHECK(&embedded_profile(default_profile()) == &default_profile());
}

}  // namespace chartwright::helm
