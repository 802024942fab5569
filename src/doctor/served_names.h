// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bundle/watch.h"
#include "generate/access.h"
#include "kube/client.h"

namespace chartwright::doctor {

/// The rights that an operator needs, by the names that an API server gives its resources.
struct ServedAccess {
  generate::Access access;
  /// Why `generate rbac` would get a resource wrong, and what to do instead, by group and resource.
  std::map<std::pair<std::string, std::string>, std::string> misnamed;

  /// Returns how a missing right is given where `generate rbac` would not; else "".
  std::string remedy(const generate::Rule& rule, const std::vector<std::string>& missing,
                     const std::string& ns) const;
};

/// Returns the rules with the resources and the scopes that the API server serves for their kinds.
/// A kind that it does not serve, or not now, keeps what `access` has. Blocks.
ServedAccess as_served(generate::Access access, const std::vector<bundle::Watch>& watches,
                       kube::Client& client, const kube::Call& call);

}  // namespace chartwright::doctor
