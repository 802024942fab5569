// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tmpl/host.h"

namespace chartwright::helm::funcs {

/// Returns random bytes of a host, fetched in blocks. The host must outlive it.
class RandomBytes {
 public:
  explicit RandomBytes(tmpl::Host& host) : host_(host) {}
  /// Error: that of the host.
  base::Result<uint8_t> next();

 private:
  tmpl::Host& host_;
  std::array<uint8_t, 64> block_{};
  size_t used_ = block_.size();
};

/// Returns a uniform number in [0, bound); `bound` must be positive. Error: that of the host.
base::Result<uint64_t> random_below(RandomBytes& bytes, uint64_t bound);

}  // namespace chartwright::helm::funcs
