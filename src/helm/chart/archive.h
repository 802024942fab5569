// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/chart/files.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

/// Unpacks a .tgz in memory, its first path segment stripped. Errors: kInvalidArgument for paths
/// that leave the chart and broken archives, kBudget above 100 MiB in all or 5 MiB a file. Source:
/// helm/helm v3 pkg/chart/loader/archive.go LoadArchiveFiles.
base::Result<std::vector<File>> read_archive(std::string_view gzipped,
                                             FileSizeRule file_size = FileSizeRule::kBounded);

/// The same from a file, after a look at its first bytes. Errors: also kInvalidArgument "file 'X'
/// does not appear to be a gzipped archive; got 'TYPE'", kNotFound, kForbidden.
base::Result<std::vector<File>> read_archive_file(const std::string& path, FileSizeRule file_size);

}  // namespace chartwright::helm
