// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/file.h"

namespace chartwright::host::testing {

/// The files of a folder that are not empty: name, and first line.
inline std::vector<std::pair<std::string, std::string>> marks_in(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string text = CW_MUST(base::read_file(entry.path().string(), 1 << 16));
    const std::string line = text.substr(0, text.find('\n'));
    if (!line.empty()) {
      files.emplace_back(entry.path().filename().string(), line);
    }
  }
  return files;
}

}  // namespace chartwright::host::testing
