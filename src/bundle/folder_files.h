// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/faults.h"

namespace chartwright::bundle {

/// Checks the names of the files below operator/, which decide what they are: a file of another
/// name would do nothing. `folder` begins the paths in errors. Adds a fault for each that is wrong:
/// kInvalidArgument with the file, and the name that may be meant.
void check_folder_files(const std::map<std::string, std::string>& files, const std::string& folder,
                        base::Faults& faults);

}  // namespace chartwright::bundle
