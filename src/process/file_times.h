// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace chartwright::process {

/// Returns a text that changes when a file below one of `paths` is written, added, removed or
/// replaced, also by another symbolic link on the way to it, as mounted ConfigMaps and git-sync
/// replace theirs. Reads no file. At most kWatchedFilesMax files are looked at.
std::string file_times(const std::vector<std::string>& paths);

inline constexpr int kWatchedFilesMax = 20000;

}  // namespace chartwright::process
