// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "helm/version/profile.h"

namespace chartwright::helm {

/// What all files of a chart may hold, in bytes.
inline constexpr size_t kChartBytesMax = size_t{100} << 20;

/// What one file of a chart may hold.
constexpr size_t file_bytes_max(FileSizeRule rule) {
  return rule == FileSizeRule::kBounded ? size_t{5} << 20 : kChartBytesMax;
}

}  // namespace chartwright::helm
