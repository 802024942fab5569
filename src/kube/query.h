// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::kube {

/// Builds the query string of a request.
class Query {
 public:
  /// Adds `key=value`, both escaped. Does nothing if `value` is empty.
  void add(std::string_view key, std::string_view value);
  /// Returns `path`, followed by the query if there is one.
  std::string append_to(std::string path) const;

 private:
  std::string text_;
};

/// Escapes everything but RFC 3986's unreserved characters as %XX, for use in a query.
std::string percent_encode(std::string_view text);
/// Escapes one segment of a path: like percent_encode, but also keeps `$&+=:@`. Source: Go's
/// net/url.PathEscape. "." and ".." have no escaped form: see is_path_segment.
std::string escape_segment(std::string_view text);

}  // namespace chartwright::kube
