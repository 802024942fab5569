// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cmd/cli.h"

namespace chartwright::cmd {

/// Parses `arguments` (without the program's name), runs the command they name and returns the exit
/// code. Every error is printed here.
int run_command_line(CommandTable commands, const std::vector<std::string>& arguments,
                     Streams& streams);

}  // namespace chartwright::cmd
