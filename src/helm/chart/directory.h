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
  std::vector<File> files;  ///< In walk order, names sorted; byte order marks are stripped.
  Warnings warnings;        ///< One message per symbolic link followed.
};

/// Reads every file of a chart's folder that .helmignore does not exclude, following symbolic
/// links. Errors: kInvalidArgument (irregular file, bad .helmignore), kBudget (above 5 MiB for one
/// file or 100 MiB in total, or a link loop), kNotFound, kForbidden.
/// Source: helm/helm v3 pkg/chart/loader/directory.go, internal/sympath/walk.go.
base::Result<DirectoryFiles> read_directory(const std::string& path, FileSizeRule file_size);

}  // namespace chartwright::helm
