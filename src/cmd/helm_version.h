// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/command.h"
#include "helm/render/chart_schemas.h"
#include "helm/version/profile.h"

namespace chartwright::cmd {

/// Declares --helm-version. The initial value of `into` is the default. `is_given`, if not null,
/// becomes true if the command line has the flag.
void declare_helm_version(FlagSet& flags, std::string& into, bool* is_given = nullptr);

/// Returns the version of Helm that the flag names. Error: kInvalidArgument.
base::Result<const helm::Profile*> selected_profile(const std::string& helm_version);

/// Returns where Helm has the documents from that schemas refer to: only the network. They are
/// loaded once. `clock` must outlive the sources.
helm::SchemaSources schemas_as_helm(base::Clock& clock);

}  // namespace chartwright::cmd
