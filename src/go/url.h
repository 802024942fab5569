// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::go {

/// The user name and optional password of a URL, unescaped.
struct UserInfo {
  std::string name;
  std::optional<std::string> password;
  std::string to_string() const;  ///< "name" or "name:password", escaped.
};

/// A URL split into its parts. Source: Go net/url URL.
struct Url {
  std::string scheme;
  std::string opaque;  ///< The rest after the scheme if that is not a path.
  std::optional<UserInfo> user;
  std::string host;      ///< Includes the port.
  std::string path;      ///< Unescaped.
  std::string query;     ///< The text as written, without '?'.
  std::string fragment;  ///< Unescaped, without '#'.

  /// Parses a URL. Error: kParse with Go's message (`parse "%zz": invalid URL escape "%zz"`).
  /// Source: Go net/url Parse.
  static base::Result<Url> parse(std::string_view text);
  /// Returns the host without port and brackets.
  std::string_view hostname() const;
  /// Returns the whole URL, escaped where necessary. Source: Go net/url URL.String, for a URL that
  /// was assembled from its parts.
  std::string to_string() const;
};

/// Escapes `text` for use as a path segment. Source: Go net/url PathEscape.
std::string escape_path_segment(std::string_view text);
/// Escapes `text` for use in a query. Source: Go net/url QueryEscape.
std::string escape_query(std::string_view text);

}  // namespace chartwright::go
