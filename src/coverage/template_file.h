// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "helm/chart/chart.h"

namespace chartwright::coverage {

/// Whether the templates of a chart's dependencies are counted, too.
enum class Subcharts : uint8_t { kInclude, kLeaveOut };

/// A file whose statements are counted.
struct TemplateFile {
  std::string name;  ///< The name in renders: "app/charts/db/templates/x.yaml".
  std::string path;  ///< In the chart's folder: "charts/db/templates/x.yaml".
  std::shared_ptr<const std::string> text;  ///< Shares ownership of the chart's files.
};

/// The most files of a chart tree that are counted; others are left out. Aliases of aliases
/// multiply.
inline constexpr size_t kFilesMax = 10'000;

/// Returns the templates of a chart and its dependencies, enabled or not, in the order of their
/// names. A dependency with several aliases has its files once for each.
std::vector<TemplateFile> template_files(const helm::Chart& chart, Subcharts subcharts);

}  // namespace chartwright::coverage
