// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "helm/render/capabilities.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace chartwright::host {

/// Returns what charts may know of a server of that version that serves these API versions.
helm::Capabilities capabilities_of(const kube::ServerVersion& version,
                                   const std::vector<std::string>& served);

/// Asks a server for its capabilities. Blocks. Errors: those of discovery.
base::Result<helm::Capabilities> read_capabilities(kube::RestMapper& mapper,
                                                   const kube::Call& call);

}  // namespace chartwright::host
