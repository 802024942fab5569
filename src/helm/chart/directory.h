// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/chart/files.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

struct DirectoryFiles {
  std::vector<File> files;  ///< In the order of a walk by sorted names; byte order marks stripped.
  Warnings warnings;        ///< One line per symbolic link that was followed.
};

/// Reads every file below a chart's folder that .helmignore leaves in, following links. Errors:
/// kInvalidArgument (irregular file, bad .helmignore), kBudget (a file above 5 MiB, all above
/// 100 MiB, a link loop), kNotFound, kForbidden.
/// Source: helm/helm v3 pkg/chart/loader/directory.go, internal/sympath/walk.go.
base::Result<DirectoryFiles> read_directory(const std::string& path, FileSizeRule file_size);

}  // namespace chartwright::helm
