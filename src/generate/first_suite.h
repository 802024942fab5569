// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bundle/watch.h"

namespace chartwright::generate {

/// Reports whether scenarios can run the chart: see docs/author/test.md.
bool has_scenarios(const bundle::Watch& watch);

/// Returns a suite to begin with, whose scenario installs and uninstalls the custom resource of
/// `sample`, a document in YAML; nullopt without a name in it. Comments of the sample are left out.
std::optional<std::string> first_suite(const bundle::Watch& watch, std::string_view sample);

}  // namespace chartwright::generate
