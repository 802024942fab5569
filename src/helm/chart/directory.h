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

/// Returns the absolute path of a chart's folder, without a slash at its end.
std::string chart_folder(const std::string& path);

/// Reads every file of a chart's folder that .helmignore does not exclude, following symbolic
/// links. Errors: kInvalidArgument (irregular file, bad .helmignore), kBudget (above 5 MiB for one
/// file or 100 MiB in total, or a link loop), kNotFound, kForbidden.
/// Source: helm/helm v3 pkg/chart/loader/directory.go, internal/sympath/walk.go.
base::Result<DirectoryFiles> read_directory(const std::string& path, const Profile& profile);

}  // namespace chartwright::helm
