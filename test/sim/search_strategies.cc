// SPDX-License-Identifier: Apache-2.0
#include "test/sim/search_strategies.h"

#include <algorithm>

namespace chartwright::sim {

size_t Walk::pick(const Choice& choice) {
  return random_() % one_in_ == 0 ? random_() % choice.candidates.size() : 0;
}

Priorities::Priorities(uint64_t seed, unsigned depth, uint64_t choices) : random_(seed) {
  for (unsigned i = 1; i < depth; ++i) {
    changes_.push_back(random_() % std::max<uint64_t>(choices, 1));
  }
  std::ranges::sort(changes_, std::greater());
}

int64_t& Priorities::priority_of(std::string_view thread) {
  auto found = priorities_.find(thread);
  if (found == priorities_.end()) {
    const auto random = static_cast<int64_t>(random_() >> 2);  // Positive, and above `lowest_`.
    found = priorities_.emplace(thread, random).first;
  }
  return found->second;
}

size_t Priorities::pick(const Choice& choice) {
  const uint64_t number = choices_made_++;
  while (!changes_.empty() && changes_.back() <= number) {
    changes_.pop_back();
    priority_of(choice.thread) = --lowest_;
  }
  size_t best = 0;
  for (size_t i = 1; i < choice.candidates.size(); ++i) {
    if (priority_of(choice.candidates[i]) > priority_of(choice.candidates[best])) {
      best = i;
    }
  }
  return best;
}

}  // namespace chartwright::sim
