// SPDX-License-Identifier: Apache-2.0
#include "host/capabilities.h"

namespace chartwright::host {

helm::Capabilities capabilities_of(const kube::ServerVersion& version,
                                   const std::vector<std::string>& served) {
  helm::Capabilities capabilities;
  capabilities.kube_version = {version.git_version, version.major, version.minor, ""};
  capabilities.api_versions = helm::Capabilities::api_version_list(served);
  return capabilities;
}

base::Result<helm::Capabilities> read_capabilities(kube::RestMapper& mapper,
                                                   const kube::Call& call) {
  CW_TRY(const kube::ServerVersion version, mapper.server_version(call));
  CW_TRY(const std::vector<std::string> served, mapper.api_versions(call));
  return capabilities_of(version, served);
}

}  // namespace chartwright::host
