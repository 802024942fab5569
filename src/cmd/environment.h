// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace chartwright::cmd {

/// Returns a variable of the environment; nullopt if it is not set. Nothing may change the
/// environment meanwhile.
std::optional<std::string> environment(const std::string& name);
/// Returns all variables, "NAME=value".
std::vector<std::string> environment_variables();

}  // namespace chartwright::cmd
