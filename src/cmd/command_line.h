// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cmd/commands.h"

namespace chartwright::cmd {

/// Parses `arguments` (without the program's own name), runs the command that they name and returns
/// the exit code. Prints every error.
int run_command_line(const Program& program, const std::vector<std::string>& arguments,
                     Streams& streams);

}  // namespace chartwright::cmd
