// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace chartwright::helm {

/// Where the documents come from that schemas refer to by URL. Thread-safe.
class SchemaSource {
 public:
  virtual ~SchemaSource() = default;
  /// Returns the text of the document at `url`, which begins with http:// or https:// and has no
  /// fragment. May block. The error's message is the reason, without "failing loading";
  /// kUnavailable and kTimeout mean that a later attempt may succeed.
  virtual base::Result<std::string> load(const std::string& url) const = 0;
};

}  // namespace chartwright::helm
