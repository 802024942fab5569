// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "tmpl/host.h"

namespace chartwright::op {

/// The real outside world for templates: a clock and the system's random numbers. Thread-safe.
class SystemHost final : public tmpl::Host {
 public:
  /// `clock` must outlive the host.
  explicit SystemHost(const base::Clock& clock) : clock_(clock) {}
  base::WallTime now() override { return clock_.wall(); }
  void random(std::span<uint8_t> out) override;

 private:
  const base::Clock& clock_;
};

}  // namespace chartwright::op
