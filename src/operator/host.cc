// SPDX-License-Identifier: Apache-2.0
#include "operator/host.h"

#include <algorithm>

#include "base/digest.h"

namespace chartwright::op {

void SystemHost::random(std::span<uint8_t> out) {
  const std::string bytes = base::random_bytes(out.size());
  std::copy(bytes.begin(), bytes.end(), out.begin());
}

}  // namespace chartwright::op
