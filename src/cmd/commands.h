// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cmd/cli.h"

namespace chartwright::cmd {

std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_template_command();
std::unique_ptr<Command> make_lint_command();
std::unique_ptr<Command> make_generate_command();
std::unique_ptr<Command> make_init_command();
std::unique_ptr<Command> make_create_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_vendor_schemas_command();
std::unique_ptr<Command> make_version_command();
std::unique_ptr<Command> make_completion_command();

/// Returns all commands, in the order in which help lists them.
CommandTable all_commands();

}  // namespace chartwright::cmd
