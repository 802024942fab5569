// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "cmd/command_line.h"
#include "cmd/commands.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  chartwright::cmd::Streams streams = chartwright::cmd::Streams::standard();
  const auto program = chartwright::cmd::program_called(argc > 0 ? argv[0] : "");
  return chartwright::cmd::run_command_line(program, arguments, streams);
}
