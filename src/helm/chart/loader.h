// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

/// A chart, the files it was read from, and the warnings of loading it.
struct LoadedChart {
  Chart chart;
  std::vector<File> all_files;  ///< All files read, for the operator/ folder and the digest.
  Warnings warnings;            ///< About symbolic links and deprecated files: Helm's log lines.
};

/// Builds a chart from files in memory. Errors: kInvalidArgument and kParse with Helm's messages
/// ("Chart.yaml file is missing", "cannot load values.yaml: ...", "validation: ...").
/// Source: helm/helm v3 pkg/chart/loader/load.go LoadFiles.
base::Result<LoadedChart> load_chart_files(std::vector<File> files,
                                           const Profile& profile = default_profile());

/// Loads a chart folder, applying .helmignore and following links, or a .tgz archive. Errors:
/// kNotFound "stat PATH: no such file or directory", kBudget above the size limits,
/// kInvalidArgument for irregular files and unsafe archive paths, and those of load_chart_files.
/// Source: helm/helm v3 pkg/chart/loader/directory.go, archive.go.
base::Result<LoadedChart> load_chart(const std::string& path,
                                     const Profile& profile = default_profile());

}  // namespace chartwright::helm
