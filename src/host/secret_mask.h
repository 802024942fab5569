// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "value/value.h"

namespace chartwright::host {

/// Takes what Secrets hold out of texts for people: a chart that fails may quote what `lookup`
/// found, and what it says stands in conditions, events and log lines, which more people can read
/// than Secrets. Not thread-safe.
///
/// A value is known as it is, line by line, in base64 and as JSON has it. What a template makes of
/// it by other means (a part of it, a digest) is not, nor is a value of less than
/// kSecretBytesMin bytes.
class SecretMask {
 public:
  static constexpr size_t kSecretBytesMin = 4;

  /// `object` is a v1 Secret. Anything of it may be missing or malformed.
  void add(const value::Value& object);
  /// `text` with *** in place of each secret, the longest where one holds another; what would be
  /// beyond `max_bytes` is cut.
  std::string masked(const std::string& text, size_t max_bytes = std::string::npos) const;
  /// `error` with its texts masked, and cut where no condition has room for more.
  base::Error masked(const base::Error& error) const;

 private:
  void add_text(std::string_view text);
  void add_secret(std::string_view secret);
  size_t secret_at(std::string_view rest) const;
  std::set<std::string, std::less<>> secrets_;
};

}  // namespace chartwright::host
