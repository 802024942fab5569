// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::kube {

/// Collects the query of a request.
class Query {
 public:
  /// Adds `key=value`, both escaped; nothing when `value` is empty.
  void add(std::string_view key, std::string_view value);
  /// `path`, followed by the query where there is one.
  std::string append_to(std::string path) const;

 private:
  std::string text_;
};

/// Everything but RFC 3986's unreserved characters as %XX: for what is in a query.
std::string percent_encode(std::string_view text);
/// One segment of a path: `$&+=:@` stay as well, all else becomes %XX. Source: Go's
/// net/url.PathEscape. "." and ".." have no escaped form: see is_path_segment.
std::string escape_segment(std::string_view text);

}  // namespace chartwright::kube
