// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "test/sim/strategy.h"

namespace chartwright::sim {

/// A place in a run that does not depend on the order of threads or on how much else happens.
struct Occasion {
  enum class Side : uint8_t {
    kBefore,  ///< The server has not carried out the call,
    kAfter,   ///< or it has, and the answer is on its way.
  };
  Side side{};
  std::string call;  ///< As FakeClient::Call::what.
  size_t number = 1;
  bool operator==(const Occasion&) const = default;
};

struct Incident {
  enum class Kind : uint8_t {
    kCrash,   ///< The process ends at once, and another one starts a second later.
    kRefuse,  ///< The server answers `status` and does nothing. Only before a call.
    kLose,    ///< The connection is lost: before, the server does nothing; after, it has.
    kDelay,   ///< The call, or its answer, takes `delay`.
    kFreeze,  ///< The process does not run for `delay`.
    kStep,    ///< Somebody does `step`.
  };
  Occasion when;
  Kind kind{};
  int status = 0;  ///< 409, 429, 500 or 503.
  base::Duration delay{};
  std::string step = {};  ///< See Stage::perform.
  bool operator==(const Incident&) const = default;
};

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
