// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace chartwright::base {

/// A program to run as a child process, without a shell. It inherits the current folder, but no
/// open file besides its standard streams.
struct ChildProgram {
  enum class Stderr : uint8_t {
    kInherit,  ///< It writes to ours.
    kCapture,
  };
  std::string path;                      ///< The path that find_program returns.
  std::vector<std::string> arguments;    ///< Without the program's name.
  std::vector<std::string> environment;  ///< "NAME=value"; of equal names, the last one counts.
  Stderr err = Stderr::kInherit;
  size_t output_bytes_max = size_t{1} << 20;
  Duration timeout = Duration::max();
  /// Runs it in a process group of its own, and kills what is left of that when it has ended.
  bool has_own_group = false;
};

/// How a program has ended.
struct ChildEnding {
  std::string out;
  std::string err;    ///< Empty unless captured.
  int exit_code = 0;  ///< -1 if a signal ended it.
  /// Worded as Go's os.ProcessState: "exit status 3", "signal: killed"; empty for success.
  std::string failure;
};

/// Returns the path of `program` as Go's exec.LookPath does: by its path if it has a slash, else in
/// the folders of `search` ($PATH), but never through a relative one. Errors: kInvalidArgument with
/// just the reason, as Go words it; kNotFound if it is in none of the folders.
/// Source: os/exec lp_unix.go.
Result<std::string> find_program(const std::string& program, std::string_view search);

/// Runs a program with `input` as its standard input (none: /dev/null) and waits until it has ended
/// and closed its output. Whenever this returns, the program has ended or was killed.
/// Errors: kInvalidArgument (it did not start), kBudget (it printed too much), kTimeout,
/// kCancelled, kInternal (a system call failed).
Result<ChildEnding> run_program(const ChildProgram& program, std::string_view input,
                                const Clock& clock, const std::stop_token& stop);

}  // namespace chartwright::base
