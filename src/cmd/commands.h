// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace chartwright::cmd {

/// Whether keys of watches.yaml that nothing reads are an error, unless a flag says otherwise.
enum class UnknownKeys : uint8_t { kRefuse, kWarn };

std::unique_ptr<Command> make_run_command(UnknownKeys unknown_keys);
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_template_command();
std::unique_ptr<Command> make_lint_command();
std::unique_ptr<Command> make_test_command();
std::unique_ptr<Command> make_generate_command();
std::unique_ptr<Command> make_init_command();
std::unique_ptr<Command> make_create_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_diff_command();
std::unique_ptr<Command> make_vendor_schemas_command();
/// `text` is the line to print.
std::unique_ptr<Command> make_version_command(std::string text);
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_man_command();

/// The program under one of its names.
struct Program {
  std::string_view name;     ///< The word that users type.
  std::string_view purpose;  ///< One sentence.
  CommandTable commands;     ///< In the order in which help lists them.
  /// The arguments are the words to complete, as kubectl gives them to the program that it asks for
  /// the completion of a plugin.
  bool completes_for_kubectl = false;
};

/// Returns the program as it presents itself under the name that ends the path `called_as`:
/// "helm-operator" is operator-sdk's program with its commands `run` and `version`; under any other
/// name it is chartwright with all commands, which "kubectl-chartwright" names as kubectl's users
/// type them. "kubectl_complete-chartwright" completes them for kubectl.
Program program_called(std::string_view called_as);

/// Returns all commands of chartwright.
CommandTable all_commands();

}  // namespace chartwright::cmd
