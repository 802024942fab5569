// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::release {

/// Compresses `data` into a gzip member with the best ratio and no timestamp, so that equal input
/// gives equal output. Errors: kBudget (4 GiB or more), kInternal (out of memory).
base::Result<std::string> gzip(std::string_view data);
/// Decompresses one gzip member. Errors: kParse (not gzip, or damaged), kBudget (more than
/// `max_bytes`, or 4 GiB of `data`), kInternal (out of memory).
base::Result<std::string> gunzip(std::string_view data, size_t max_bytes);

}  // namespace chartwright::release
