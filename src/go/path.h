// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::go {

/// Returns the shortest path that is lexically equivalent to `path`; "." for "".
/// Source: Go path.Clean.
std::string clean_path(std::string_view path);
/// Joins two elements with a slash and cleans the result. Source: Go path.Join.
std::string join_path(std::string_view a, std::string_view b);
/// Returns the last element, without trailing slashes; "." for "". Source: Go path.Base.
std::string_view base_name(std::string_view path);
/// Returns the suffix that begins at the last dot of the last element, or "". Source: Go path.Ext.
std::string_view extension(std::string_view path);

/// Reports whether `pattern` (*, ?, [classes], \-escapes; * and ? do not match '/') matches the
/// whole of `name`. Error: kInvalidArgument "syntax error in pattern".
/// Source: Go path/filepath.Match.
base::Result<bool> match_path(std::string_view pattern, std::string_view name);

}  // namespace chartwright::go
