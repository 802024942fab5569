// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace chartwright::base {

/// Reads a whole file of at most `max_bytes`. Errors: kNotFound ("open P: no such file or
/// directory"), kForbidden, kInvalidArgument (a directory), kBudget (too large).
Result<std::string> read_file(const std::string& path, size_t max_bytes);

}  // namespace chartwright::base
