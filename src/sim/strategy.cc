// SPDX-License-Identifier: Apache-2.0
#include "sim/strategy.h"

#include <algorithm>
#include <string>
#include <utility>

namespace chartwright::sim {

InOrder::InOrder(const std::vector<Deviation>& deviations) {
  for (const Deviation& one : deviations) {
    deviations_.emplace(std::pair(one.thread, one.point), one.to);
  }
}

size_t InOrder::pick(const Choice& choice) {
  if (deviations_.empty()) {
    return 0;
  }
  const auto found = deviations_.find(std::pair(std::string(choice.thread), choice.point));
  if (found == deviations_.end()) {
    return 0;
  }
  const auto wanted = std::ranges::find(choice.candidates, found->second);
  return wanted == choice.candidates.end()
             ? 0
             : static_cast<size_t>(wanted - choice.candidates.begin());
}

}  // namespace chartwright::sim
