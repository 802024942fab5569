// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace chartwright::sim {

/// A moment at which several threads may run, or be woken.
struct Choice {
  std::string_view thread;  ///< The thread that runs.
  uint64_t point = 0;       ///< The number of its choices so far.
  /// Who may be chosen. The first one is what a fair scheduler without interruptions would take:
  /// the thread that runs, if it can go on, or else the one that has waited longest.
  std::span<const std::string_view> candidates;
};

/// Picks one of the candidates of each choice.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Returns an index into choice.candidates, of which there are at least two.
  virtual size_t pick(const Choice& choice) = 0;
};

/// A choice in which another thread was taken than the first one.
struct Deviation {
  std::string thread;
  uint64_t point = 0;
  std::string to;
  bool operator==(const Deviation&) const = default;
};

/// First come, first served, apart from the given deviations.
class InOrder final : public Strategy {
 public:
  explicit InOrder(const std::vector<Deviation>& deviations = {});
  size_t pick(const Choice& choice) override;

 private:
  std::map<std::pair<std::string, uint64_t>, std::string, std::less<>> deviations_;
};

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
