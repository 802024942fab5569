// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::release {

/// Compresses into a gzip member, best ratio, with no time stamp: equal input, equal output.
/// Errors: kBudget (4 GiB or more), kInternal (no memory).
base::Result<std::string> gzip(std::string_view data);
/// Unpacks one gzip member. Errors: kParse (not gzip, damaged), kBudget (more than `max_bytes`, or
/// 4 GiB of `data`), kInternal (no memory).
base::Result<std::string> gunzip(std::string_view data, size_t max_bytes);

}  // namespace chartwright::release
