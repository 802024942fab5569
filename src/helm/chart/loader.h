// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/version/profile.h"

namespace chartwright::helm {

/// A chart and what was noticed while it was read.
struct LoadedChart {
  Chart chart;
  std::vector<File> all_files;  ///< Everything that was read, for bundle folders and digests.
  Warnings warnings;            ///< Symbolic links, deprecated files: Helm's log lines.
};

/// Builds a chart from files in memory. Errors: kInvalidArgument, kParse with Helm's texts
/// ("Chart.yaml file is missing", "cannot load values.yaml: ...", "validation: ..."). Source:
/// helm/helm v3 pkg/chart/loader/load.go LoadFiles.
base::Result<LoadedChart> load_chart_files(std::vector<File> files,
                                           const Profile& profile = default_profile());

/// Loads a chart directory (.helmignore applied, links followed) or a .tgz archive. Errors:
/// kNotFound "stat PATH: no such file or directory", kBudget past the size limits, kInvalidArgument
/// for irregular files and unsafe archive paths, and those of load_chart_files. Source: helm/helm
/// v3 pkg/chart/loader/directory.go, archive.go.
base::Result<LoadedChart> load_chart(const std::string& path,
                                     const Profile& profile = default_profile());

}  // namespace chartwright::helm
