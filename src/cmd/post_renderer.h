// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace chartwright::cmd {

/// The program of `--post-renderer`, which reads the rendered manifests and prints new ones.
struct PostRenderer {
  /// The path as given, or the absolute one after `locate`. Empty if not set.
  std::string program;
  std::vector<std::string> arguments;
};

/// Finds the program as Go's exec.LookPath does: by its path if it has a slash, else in $PATH, but
/// never through a relative entry of $PATH. Errors: kInvalidArgument, worded as Helm words a wrong
/// flag; kInternal if the current folder is unknown.
/// Source: helm/helm v3 pkg/postrender/exec.go NewExec, os/exec lp_unix.go.
base::Status locate(PostRenderer& renderer);

/// Runs the program with `manifests` as its standard input and returns its standard output. The
/// program inherits the environment and the current folder, and has no time limit. Errors:
/// kInvalidArgument (it did not start, or did not exit with 0; the message has its standard error),
/// kBudget (it printed more than 256 MiB), kInternal (a system call failed).
/// Source: helm/helm v3 pkg/postrender/exec.go Run.
base::Result<std::string> post_render(const PostRenderer& renderer, const std::string& manifests);

}  // namespace chartwright::cmd
