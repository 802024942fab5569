// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::go {

/// User name and, after a colon, password of a URL, unescaped.
struct UserInfo {
  std::string name;
  std::optional<std::string> password;
  std::string to_string() const;  ///< Escaped.
};

/// A URL in its parts. Source: Go net/url URL.
struct Url {
  std::string scheme;
  std::string opaque;  ///< What follows the scheme where that is no path.
  std::optional<UserInfo> user;
  std::string host;      ///< With port.
  std::string path;      ///< Unescaped.
  std::string query;     ///< As written, without '?'.
  std::string fragment;  ///< Unescaped, without '#'.

  /// Error: kParse with Go's text (`parse "%zz": invalid URL escape "%zz"`).
  /// Source: Go net/url Parse.
  static base::Result<Url> parse(std::string_view text);
  /// The host without port and brackets.
  std::string_view hostname() const;
  /// The whole URL, escaped where it must be. Source: Go net/url URL.String, for a URL that was put
  /// together from its parts.
  std::string to_string() const;
};

/// Escaped so that it can stand between slashes. Source: Go net/url PathEscape.
std::string escape_path_segment(std::string_view text);

}  // namespace chartwright::go
