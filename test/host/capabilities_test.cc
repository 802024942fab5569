// SPDX-License-Identifier: Apache-2.0
#include "host/capabilities.h"

#include <catch2/catch.hpp>

namespace chartwright::host {

TEST_CASE("Charts see the version of a server, and what it serves") {
  kube::ServerVersion version;
  version.git_version = "v1.34.1";
  version.major = "1";
  version.minor = "34";
  const helm::Capabilities capabilities = capabilities_of(version, {"v1", "apps/v1/Deployment"});
  CHECK(capabilities.kube_version.version == "v1.34.1");
  CHECK(capabilities.kube_version.minor == "34");
  CHECK(capabilities.api_versions.as_list().items.size() == 2);
}

}  // namespace chartwright::host
