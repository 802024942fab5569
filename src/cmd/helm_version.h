// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cmd/cli.h"
#include "helm/version/profile.h"

namespace chartwright::cmd {

/// Declares --helm-version. The initial value of `into` is the default.
void declare_helm_version(FlagSet& flags, std::string& into);

/// Returns the version of Helm that the flag names. Error: kInvalidArgument.
base::Result<const helm::Profile*> selected_profile(const std::string& helm_version);

}  // namespace chartwright::cmd
