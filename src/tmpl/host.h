// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace chartwright::tmpl {

/// The only access that templates have to the outside world (they see no environment and no files).
/// An implementation used by several renders at once must be thread-safe.
class Host {
 public:
  virtual ~Host() = default;
  virtual base::WallTime now() = 0;
  /// Fills `out` with random bytes. Error: kInternal if the system cannot provide any.
  virtual base::Status random(std::span<uint8_t> out) = 0;
  /// Returns the IP addresses of a name; empty if it has none. Returns nullopt if names are not
  /// looked up, which is the default: the output of a chart must not depend on the network, nor
  /// leak anything to it.
  virtual std::optional<std::vector<std::string>> addresses_of(std::string_view /*name*/) {
    return std::nullopt;
  }
};

}  // namespace chartwright::tmpl
