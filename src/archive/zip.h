// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace chartwright::archive {

/// The texts of files by their names, which are relative and have slashes.
using Files = std::map<std::string, std::string>;

/// Returns a zip with these files in the order of their names, all written at `time`, in seconds.
/// Errors: kInternal if libarchive refuses a name, or memory is short.
base::Result<std::string> zip_of(const Files& files, base::WallTime time);

}  // namespace chartwright::archive
