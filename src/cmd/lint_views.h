// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apiserver/registration.h"
#include "cmd/lint_bundle.h"
#include "helm/lint/message.h"

namespace chartwright::cmd {

/// Finds what a server of the views in `folder` would refuse or lack: faults in their files, a CRD
/// that serves their group and version itself or has their source in another form, and rights that
/// the roles do not grant to a server behind `service`.
helm::lint::Messages lint_views(const std::string& folder, const GivenManifests& given,
                                const apiserver::ServiceRef& service);

}  // namespace chartwright::cmd
