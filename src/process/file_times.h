// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace chartwright::process {

inline constexpr int kWatchedFilesMax = 20000;

/// Returns a text that changes when a file below one of `paths` is written, added, removed or
/// replaced, also by another symbolic link on the way to it, as mounted ConfigMaps and git-sync
/// replace theirs. Reads no file, and looks at no more than kWatchedFilesMax.
std::string file_times(const std::vector<std::string>& paths);

}  // namespace chartwright::process
