// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace chartwright::cmd {

/// Returns a variable of the environment; nullopt if it is not set. Nothing may change the
/// environment meanwhile.
std::optional<std::string> environment(const std::string& name);

}  // namespace chartwright::cmd
