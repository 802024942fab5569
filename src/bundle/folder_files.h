// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace chartwright::bundle {

/// Checks the names of the files below operator/, which decide what they are: a file of another
/// name would do nothing. `folder` begins the paths in errors. Error: kInvalidArgument with the
/// file, and the name that may be meant.
base::Status check_folder_files(const std::map<std::string, std::string>& files,
                                const std::string& folder);

}  // namespace chartwright::bundle
