// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
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

}  // namespace chartwright::sim
