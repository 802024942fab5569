// SPDX-License-Identifier: Apache-2.0
#include "cmd/command_line.h"

#include <algorithm>

#include "base/strings.h"
#include "cmd/completion.h"
#include "go/quote.h"

namespace chartwright::cmd {
namespace {

std::string unknown_command(const Program& program, const std::string& name) {
  std::string text = "unknown command " + go::quote(name) + " for " + go::quote(program.name);
  std::vector<std::string_view> names;
  for (const auto& command : program.commands) {
    names.push_back(command->name());
  }
  const std::string_view near = base::nearest(name, names);
  if (!near.empty()) {
    text += "\n\nDid you mean this?\n\t" + std::string(near) + "\n";
  }
  return text + "\nRun '" + std::string(program.name) + " --help' for usage.";
}

std::string overview(const Program& program) {
  size_t width = 0;
  for (const auto& command : program.commands) {
    width = std::max(width, command->name().size());
  }
  const std::string name(program.name);
  std::string text =
      std::string(program.purpose) + "\n\nUsage:\n  " + name + " COMMAND [flags]\n\nCommands:\n";
  for (const auto& command : program.commands) {
    text += "  " + std::string(command->name()) +
            std::string(width - command->name().size() + 2, ' ') + std::string(command->summary()) +
            "\n";
  }
  return text + "\nUse \"" + name + " COMMAND --help\" for the flags of a command.\n";
}

}  // namespace

int run_command_line(const Program& program, const std::vector<std::string>& arguments,
                     Streams& streams) {
  if (program.completes_for_kubectl) {
    streams.out(complete(program.commands, arguments, live_words)
                    .to_cobra_string(arguments.empty() ? "" : arguments.back()));
    return kExitOk;
  }
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    streams.out(overview(program));
    return kExitOk;
  }
  if (arguments[0] == kCompleteCommand) {
    streams.out(complete(program.commands, {arguments.begin() + 1, arguments.end()}, live_words)
                    .to_string());
    return kExitOk;
  }
  const std::string name = arguments[0] == "--version" ? "version" : arguments[0];
  for (const auto& command : program.commands) {
    if (command->name() == name) {
      return run_command({program.name, *command}, {arguments.begin() + 1, arguments.end()},
                         streams);
    }
  }
  const bool is_flag = name.starts_with('-');
  streams.with_clean_messages().err(
      "Error: " + (is_flag ? "unknown flag: " + name : unknown_command(program, name)) + "\n");
  return kExitError;
}

}  // namespace chartwright::cmd
