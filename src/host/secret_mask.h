// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "value/value.h"

namespace chartwright::host {

/// Masks the contents of Secrets, and other secret texts, in messages. A chart that fails may quote
/// what `lookup` found, and its message appears in conditions, events and log lines, which more
/// people can read than Secrets. Not thread-safe.
///
/// A value is recognised literally, line by line, in base64 and as a JSON string. Anything else
/// that a template makes of it (a part of it, a digest) is not, nor is a value of less than
/// kSecretBytesMin bytes.
class SecretMask {
 public:
  static constexpr size_t kSecretBytesMin = 4;

  /// Adds the contents of `object`, a v1 Secret. Any part of it may be missing or malformed.
  void add(const value::Value& object);
  /// Adds a text, as it is and in base64.
  void add_text(std::string_view text);
  /// Adds what another mask has.
  void add(const SecretMask& other);
  /// Returns `text` with *** in place of each secret (the longest, if one contains another), cut
  /// after `max_bytes`.
  std::string masked(const std::string& text, size_t max_bytes = std::string::npos) const;
  /// Returns masked() of a text that may have been cut, with "..." at its end: the last of what is
  /// left of it may be the first part of a secret, which is masked, too.
  std::string masked_cut(const std::string& text) const;
  /// Returns `error` with its messages masked, and cut to what a condition has room for.
  base::Error masked(const base::Error& error) const;

 private:
  void add_lines(std::string_view text);
  void add_secret(std::string_view secret);
  size_t secret_at(std::string_view rest) const;
  bool begins_secret(std::string_view text) const;
  std::set<std::string, std::less<>> secrets_;
};

}  // namespace chartwright::host
