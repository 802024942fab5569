// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/clock.h"

namespace chartwright::tmpl {

/// The outside world as templates see it; nothing else reaches them (no environment, no DNS, no
/// files). Implementations used by several renders at once must be thread-safe.
class Host {
 public:
  virtual ~Host() = default;
  virtual base::WallTime now() = 0;
  virtual void random(std::span<uint8_t> out) = 0;
};

}  // namespace chartwright::tmpl
