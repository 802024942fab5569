// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace chartwright::suite {

/// Returns the files below `folder` whose paths match one of the patterns, in which "**" stands for
/// any number of folders. An absolute pattern is the path of a file. The files of a pattern are
/// sorted, those of a folder before those in folders below it. Does not follow links to folders.
/// Error: kBudget for more than 10,000 files.
base::Result<std::vector<std::string>> find_suite_files(const std::string& folder,
                                                        const std::vector<std::string>& patterns);

}  // namespace chartwright::suite
