// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::base {

/// Reads a whole file of at most `max_bytes`. Errors: kNotFound ("open P: no such file or
/// directory"), kForbidden, kInvalidArgument (a directory), kBudget (too large).
Result<std::string> read_file(const std::string& path, size_t max_bytes);

/// Writes a file that only this user may read. Whoever opens `path`, after a crash of the process
/// too, finds the old content or the new one, whole. It is not forced to the disk. Two threads must
/// not write one path at a time. Errors: as of opening a file.
Status write_file_atomically(const std::string& path, std::string_view text);

}  // namespace chartwright::base
