// SPDX-License-Identifier: Apache-2.0
#include "cmd/commands.h"

namespace chartwright::cmd {

CommandTable all_commands() {
  CommandTable commands;
  commands.push_back(make_run_command());
  commands.push_back(make_serve_command());
  commands.push_back(make_template_command());
  commands.push_back(make_lint_command());
  commands.push_back(make_generate_command());
  commands.push_back(make_init_command());
  commands.push_back(make_create_command());
  commands.push_back(make_doctor_command());
  commands.push_back(make_vendor_schemas_command());
  commands.push_back(make_version_command());
  commands.push_back(make_completion_command());
  return commands;
}

}  // namespace chartwright::cmd
