// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace chartwright::sim {

/// A place in a run that does not depend on the order of threads or on how much else happens.
struct Occasion {
  enum class Side : uint8_t {
    kBefore,  ///< The server has not carried out the call,
    kAfter,   ///< or it has, and the answer is on its way.
  };
  Side side{};
  std::string call;  ///< The name of the call: MemoryServer::Call::what.
  size_t number = 1;
  bool operator==(const Occasion&) const = default;
};

/// Something that goes wrong, or that somebody does, at a call.
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
  int status = 0;            ///< The status of HTTP.
  std::string message = {};  ///< The message of a refusal; empty: one that says so.
  base::Duration delay{};
  std::string step = {};  ///< See Stage::perform.
  bool operator==(const Incident&) const = default;
};

}  // namespace chartwright::sim
