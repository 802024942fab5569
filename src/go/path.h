// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::go {

/// The shortest path equal to `path` by lexical rules; "" gives ".". Source: Go path.Clean.
std::string clean_path(std::string_view path);
/// Joins two elements with a slash and cleans the result. Source: Go path.Join.
std::string join_path(std::string_view a, std::string_view b);
/// The last element, without trailing slashes; "" gives ".". Source: Go path.Base.
std::string_view base_name(std::string_view path);
/// The suffix from the last dot of the last element, dot included, or "". Source: Go path.Ext.
std::string_view extension(std::string_view path);

/// Whether `pattern` (*, ?, [classes], \-escapes; * and ? stop at '/') matches the whole of `name`.
/// Error: kInvalidArgument "syntax error in pattern". Source: Go path/filepath.Match.
base::Result<bool> match_path(std::string_view pattern, std::string_view name);

}  // namespace chartwright::go
