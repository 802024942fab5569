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
/// The first member of gzip data.
struct GzipMember {
  std::string text;
  size_t size = 0;  ///< Of the compressed member, in bytes.
};

/// Decompresses the first gzip member of `data`. Errors: kParse (not gzip, or damaged), kBudget
/// (more than `max_bytes`, or 4 GiB of `data`), kInternal (out of memory).
base::Result<GzipMember> gunzip_member(std::string_view data, size_t max_bytes);
/// Decompresses all members of `data`, which may have nothing else, to one text. Errors: as above,
/// where `max_bytes` is for all of them.
base::Result<std::string> gunzip(std::string_view data, size_t max_bytes);

}  // namespace chartwright::release
