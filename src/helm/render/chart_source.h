// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::helm {

inline constexpr const char* kValuesFile = "values.yaml";

/// The raw files of a chart, which need not be valid: a folder, or an archive unpacked in memory.
/// Cheap to move.
class ChartSource {
 public:
  /// Opens a chart folder or archive. Errors: kNotFound "unable to check Chart.yaml file in chart:
  /// stat P: no such file or directory", and "unable to open tarball" or "unable to extract
  /// tarball" with the reason.
  /// Source: helm/helm v3 pkg/action/lint.go lintChart.
  static base::Result<ChartSource> open(const std::string& path);

  using Files = std::map<std::string, std::string, std::less<>>;
  /// Makes a chart from files in memory. `root` is its path in messages.
  static ChartSource from_files(std::string root, Files files);

  enum class Entry : uint8_t { kMissing, kFile, kFolder };
  Entry entry(std::string_view name) const;
  /// Reads a file of the chart. Errors: as base::read_file.
  base::Result<std::string> read(std::string_view name) const;
  /// Returns the sorted names of the files directly in a folder of the chart; empty if the folder
  /// does not exist.
  std::vector<std::string> files_in(std::string_view folder) const;
  /// The absolute path of the folder or archive.
  const std::string& root() const { return root_; }
  /// Loads the whole chart as an installation would. Errors: as RenderableChart::load.
  base::Result<std::shared_ptr<const RenderableChart>> load(
      const Profile& profile = default_profile(), SchemaSources schemas = {}) const;

 private:
  base::Status unpack(const std::string& path);
  std::string root_;
  std::optional<Files> archive_;
};

}  // namespace chartwright::helm
