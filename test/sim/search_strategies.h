// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sim/strategy.h"

namespace chartwright::sim {

/// Takes any thread in one of `one_in` choices.
class Walk final : public Strategy {
 public:
  Walk(uint64_t seed, unsigned one_in) : random_(seed), one_in_(one_in) {}
  size_t pick(const Choice& choice) override;

 private:
  std::mt19937_64 random_;
  const unsigned one_in_;
};

/// Probabilistic concurrency testing: threads have random priorities, and `depth` - 1 times, at
/// random choices among the first `choices`, the thread that runs gets the lowest one. It finds a
/// defect that needs `depth` orderings in one of threads * choices^(depth - 1) runs, or more often.
/// Source: Burckhardt et al., A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs.
class Priorities final : public Strategy {
 public:
  Priorities(uint64_t seed, unsigned depth, uint64_t choices);
  size_t pick(const Choice& choice) override;

 private:
  int64_t& priority_of(std::string_view thread);

  std::mt19937_64 random_;
  std::map<std::string, int64_t, std::less<>> priorities_;
  std::vector<uint64_t> changes_;  ///< The numbers of choices, the last one first.
  uint64_t choices_made_ = 0;
  int64_t lowest_ = 0;
};

}  // namespace chartwright::sim
