// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/chart/files.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

/// Unpacks a .tgz in memory and strips the first segment of each path. Errors: kInvalidArgument for
/// broken archives and paths that leave the chart, kBudget above 100 MiB in total or 5 MiB for one
/// file. Source: helm/helm v3 pkg/chart/loader/archive.go LoadArchiveFiles.
base::Result<std::vector<File>> read_archive(std::string_view gzipped,
                                             FileSizeRule file_size = FileSizeRule::kBounded);

/// Unpacks the .tgz file at `path` after checking its first bytes. Errors: as read_archive, and
/// kInvalidArgument "file 'X' does not appear to be a gzipped archive; got 'TYPE'", kNotFound,
/// kForbidden. With LoaderRule::kByApiVersion, a broken archive is "unable to load chart archive".
base::Result<std::vector<File>> read_archive_file(const std::string& path, const Profile& profile);

/// Reports whether a file of this name is taken for a packed chart where one may lie beside others.
bool has_archive_name(std::string_view path);

/// Returns the name of the chart that a URL or a reference of a registry or repository names, as
/// far as it shows: "shop" for "https://example.com/shop-1.2.3.tgz" and
/// "oci://example.com/shop:1.2.3". `helm pull --untar` makes a folder of the chart's name.
std::string chart_name_of(std::string_view reference);

}  // namespace chartwright::helm
