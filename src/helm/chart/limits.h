// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "helm/version/profile.h"

namespace chartwright::helm {

/// Maximum total size of a chart's files, in bytes.
inline constexpr size_t kChartBytesMax = size_t{100} << 20;

/// Returns the maximum size of one file of a chart, in bytes.
constexpr size_t file_bytes_max(FileSizeRule rule) {
  return rule == FileSizeRule::kBounded ? size_t{5} << 20 : kChartBytesMax;
}

}  // namespace chartwright::helm
