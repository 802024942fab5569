// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace chartwright::suite {

/// More files are not watched.
inline constexpr size_t kWatchedFilesMax = 20'000;

/// The version of a file, as far as its folder tells.
struct FileStamp {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  int64_t bytes = 0;
  uint64_t inode = 0;

  bool operator==(const FileStamp&) const = default;
};

/// The files at one time, by path.
using FileLook = std::map<std::string, FileStamp>;

/// Looks at files: those that are named, and all in folders that are named, but for hidden ones.
/// Missing ones are left out. Error: kBudget for more than kWatchedFilesMax.
base::Result<FileLook> look_at(const std::set<std::string>& paths);

/// Returns the files that are new, gone, or another version. Pure.
std::vector<std::string> changed_files(const FileLook& before, const FileLook& after);

}  // namespace chartwright::suite
