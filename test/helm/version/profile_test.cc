// SPDX-License-Identifier: Apache-2.0
#include "helm/version/profile.h"

#include <catch2/catch.hpp>

namespace chartwright::helm {

TEST_CASE("versions of Helm are found by the names that users write") {
  CHECK(profile_names() == "3.18, 3.22, 4.3");
  CHECK(find_profile("3.18")->helm_version == "v3.18.6");
  CHECK(find_profile("4.3")->helm_version == "v4.3.1");
  CHECK(find_profile("3.22") == &default_profile());
  CHECK(find_profile("3.19") == nullptr);
  CHECK(find_profile("") == nullptr);
}

}  // namespace chartwright::helm
