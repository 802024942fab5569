// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace chartwright::cmd {

/// The program of `--post-renderer`, which gets the rendered manifests and gives back others.
struct PostRenderer {
  std::string program;  ///< As given; after `locate`, an absolute path. Empty: there is none.
  std::vector<std::string> arguments;
};

/// Finds the program as Go's exec.LookPath does: by its path if it has a slash, else in $PATH, but
/// never in the current folder by chance. Errors: kInvalidArgument, as Helm words a wrong flag.
/// Source: helm/helm v3 pkg/postrender/exec.go NewExec, os/exec lp_unix.go.
base::Status locate(PostRenderer& renderer);

/// Runs the program with `manifests` as its standard input and returns what it prints. It inherits
/// environment and folder, and may take as long as it likes. Errors: kInvalidArgument (it could not
/// be started, or ended other than with 0; the text has what it wrote to its standard error),
/// kBudget (it printed more than 256 MiB), kInternal (no process or pipe to be had).
/// Source: helm/helm v3 pkg/postrender/exec.go Run.
base::Result<std::string> post_render(const PostRenderer& renderer, const std::string& manifests);

}  // namespace chartwright::cmd
