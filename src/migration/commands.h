// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/command.h"

namespace chartwright::cmd {

/// The command that checks a project of helm-operator. `run` are the flags of `chartwright run`.
std::unique_ptr<Command> make_migrate_command(const Declared& run);

}  // namespace chartwright::cmd
