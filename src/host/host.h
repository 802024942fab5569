// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "tmpl/host.h"

namespace chartwright::host {

/// Whether templates can resolve names in the DNS.
enum class NameLookup : uint8_t { kNone, kSystem };

/// Gives templates a clock, the system's random numbers and, if enabled, the system's resolver.
/// Thread-safe.
class SystemHost final : public tmpl::Host {
 public:
  /// `clock` must outlive the host.
  explicit SystemHost(const base::Clock& clock, NameLookup names = NameLookup::kNone)
      : clock_(clock), names_(names) {}
  base::WallTime now() override { return clock_.wall(); }
  base::Status random(std::span<uint8_t> out) override;
  /// Blocks for as long as the system's resolver does (resolv.conf: by default some 10 s a server).
  std::optional<std::vector<std::string>> addresses_of(std::string_view name) override;

 private:
  const base::Clock& clock_;
  const NameLookup names_;
};

/// Lets templates give the same result each time: its clock stands still, and random numbers are
/// refused. Thread-safe.
class FixedHost final : public tmpl::Host {
 public:
  explicit FixedHost(base::WallTime now) : now_(now) {}
  base::WallTime now() override { return now_; }
  /// Error: kInvalidArgument, always.
  base::Status random(std::span<uint8_t> out) override;

 private:
  const base::WallTime now_;
};

}  // namespace chartwright::host
