// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "tmpl/host.h"

namespace chartwright::helm::funcs {

/// A host whose clock always shows 2024-05-06 07:08:09.123456789 UTC and whose random bytes are a
/// fixed sequence.
class FixedHost final : public tmpl::Host {
 public:
  base::WallTime now() override {
    return base::WallTime(std::chrono::seconds(1714979289) + std::chrono::nanoseconds(123456789));
  }
  base::Status random(std::span<uint8_t> out) override {
    for (uint8_t& byte : out) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      byte = static_cast<uint8_t>(state_ >> 56U);
    }
    return {};
  }

 private:
  uint64_t state_ = 42;
};

}  // namespace chartwright::helm::funcs
