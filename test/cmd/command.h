// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cmd/command_line.h"
#include "cmd/commands.h"

namespace chartwright::cmd::testing {

/// The exit code and output of a command.
struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

enum class Terminal : bool { kNo, kYes };

/// Runs a command line of the program under the name `called_as`, with `input` as the standard
/// input, and a terminal or none as the output.
inline Outcome run_as(std::string_view called_as, const std::vector<std::string>& arguments,
                      const std::string& input = "", Terminal terminal = Terminal::kNo) {
  Outcome outcome;
  Streams streams{[&](std::string_view text) { outcome.out += text; },
                  [&](std::string_view text) { outcome.err += text; },
                  [&]() -> base::Result<std::string> { return input; }, terminal == Terminal::kYes};
  outcome.code = run_command_line(program_called(called_as), arguments, streams);
  return outcome;
}

inline Outcome run(const std::vector<std::string>& arguments, const std::string& input = "",
                   Terminal terminal = Terminal::kNo) {
  return run_as("chartwright", arguments, input, terminal);
}

}  // namespace chartwright::cmd::testing
