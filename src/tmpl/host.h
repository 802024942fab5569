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

/// The outside world as templates see it; nothing else reaches them (no environment, no
/// files). Implementations used by several renders at once must be thread-safe.
class Host {
 public:
  virtual ~Host() = default;
  virtual base::WallTime now() = 0;
  /// Fills `out` with chance. Error: kInternal where the system has none.
  virtual base::Status random(std::span<uint8_t> out) = 0;
  /// The IP addresses of a name; empty where there are none. Nullopt, unless a host says otherwise:
  /// no name is looked up, because what a chart renders must not depend on the network, nor tell it
  /// anything.
  virtual std::optional<std::vector<std::string>> addresses_of(std::string_view /*name*/) {
    return std::nullopt;
  }
};

}  // namespace chartwright::tmpl
