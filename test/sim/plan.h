// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/incident.h"
#include "sim/strategy.h"

namespace chartwright::sim {

/// The order of threads.
struct Order {
  enum class Kind : uint8_t { kFirstCome, kWalk, kPriorities };
  Kind kind{};
  unsigned number = 0;   ///< kWalk: one in so many choices; kPriorities: the depth.
  uint64_t choices = 0;  ///< kPriorities: how many choices such a run has, roughly.
  bool fine = false;     ///< Threads also lose their turn before they lock a mutex.
  std::vector<Deviation> deviations = {};  ///< kFirstCome: where it is not so.
  bool operator==(const Order&) const = default;
};

/// Everything that decides a run. As text:
///
///     subject: two-widgets
///     seed: 7
///     order: priorities depth=2 choices=400 locks
///     do:
///       after apply ConfigMap shop/w #1: crash
///       before delete Secret shop/x #2: refuse 409
///     preempt:
///       worker:0 at 41: watch:ConfigMap
///     expect: pass
struct Plan {
  std::string subject;
  uint64_t seed = 0;
  Order order = {};
  std::vector<Incident> incidents = {};
  std::string expect = "pass";  ///< Or the name of the oracle that is violated.
  bool operator==(const Plan&) const = default;
};

std::string to_text(const Incident& incident);
std::string to_text(const Plan& plan);
/// Errors: kParse, with the line.
base::Result<Plan> parse_plan(std::string_view text);

}  // namespace chartwright::sim
