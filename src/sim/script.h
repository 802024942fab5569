// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/incident.h"

namespace chartwright::sim {

/// Counts the calls of a run and says what its plan has for each.
class Script {
 public:
  explicit Script(std::vector<Incident> incidents)
      : incidents_(std::move(incidents)), happened_(incidents_.size(), false) {}

  /// Counts the call, and returns how many of it there have been.
  size_t arrive(const std::string& call) { return ++arrived_[call]; }
  /// Returns what happens there. Each incident happens once.
  std::vector<Incident> take(Occasion::Side side, const std::string& call, size_t number) {
    std::vector<Incident> now;
    for (size_t i = 0; i < incidents_.size(); ++i) {
      if (!ended_ && !happened_[i] && incidents_[i].when == Occasion{side, call, number}) {
        happened_[i] = true;
        now.push_back(incidents_[i]);
      }
    }
    return now;
  }
  /// Returns the incidents whose occasion never came.
  std::vector<Incident> missed() const {
    std::vector<Incident> all;
    for (size_t i = 0; i < incidents_.size(); ++i) {
      if (!happened_[i]) {
        all.push_back(incidents_[i]);
      }
    }
    return all;
  }
  /// Adds what is to happen later.
  void add(Incident incident) {
    incidents_.push_back(std::move(incident));
    happened_.push_back(false);
  }
  /// Returns how many of a call there have been.
  size_t arrived(const std::string& call) const {
    const auto found = arrived_.find(call);
    return found == arrived_.end() ? 0 : found->second;
  }
  /// A process crashes once the server has carried out so many more writes, at least one.
  void crash_after(size_t writes) { writes_left_ = writes; }
  /// Counts a write that the server has carried out. Returns whether its process crashes.
  bool crashes_at_write() { return writes_left_ > 0 && --writes_left_ == 0; }
  /// Nothing happens any more.
  void end() { ended_ = true; }

 private:
  std::vector<Incident> incidents_;
  std::vector<bool> happened_;
  bool ended_ = false;
  size_t writes_left_ = 0;  ///< 0: no crash is planned.
  std::map<std::string, size_t> arrived_;
};

}  // namespace chartwright::sim
